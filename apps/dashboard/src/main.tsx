import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { redeemLink } from './data/session.js';
import { applyTheme, preferredTheme } from './data/theme.js';

applyTheme(preferredTheme());
const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
await redeemLink();
createRoot(root).render(<App />);
