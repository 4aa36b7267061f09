import { type FormEvent, useState } from 'react';
import { login as begin } from '../data/session.js';
import { ErrorNote } from '../parts/error-note.js';
import { useWords } from '../words/use-words.js';

/** For users without a session: with a link there is nothing to type in, with a token there is. */
export function LoginPage({ login }: { readonly login: 'link' | 'token' }) {
  const w = useWords();
  const [token, setToken] = useState('');
  const [refused, setRefused] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await begin(token.trim())) location.reload();
    else setRefused(true);
  };
  return (
    <main className="panel login">
      <h1>Coracle</h1>
      {login === 'link' ? (
        <>
          <p>{w.linkNeeded}</p>
          <p>
            <code>coracle dashboard --kubeconfig FILE</code>
          </p>
        </>
      ) : (
        <form className="dialog" onSubmit={(event) => void submit(event)}>
          <label htmlFor="token">{w.bearerToken}</label>
          <input
            id="token"
            type="password"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
          <p className="dim">
            {w.tokenHint} <code>kubectl create token NAME</code>
          </p>
          {refused && <ErrorNote message={w.tokenRefused} />}
          <div>
            <button type="submit" className="button primary" disabled={token.trim() === ''}>
              {w.signIn}
            </button>
          </div>
        </form>
      )}
    </main>
  );
}
