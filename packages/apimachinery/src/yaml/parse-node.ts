import { Anchors } from './anchors.js';
import { readBlockScalar } from './block-scalar.js';
import { type Cursor, isBlank } from './cursor.js';
import { Mappings } from './mapping.js';
import {
  checkCollection,
  type Properties,
  readName,
  readProperties,
  scalarValue,
  standardHandles,
  startsProperty,
  type TagHandles,
} from './properties.js';
import { isFlowIndicator, readPlain, readQuoted } from './scalars.js';

const doubleQuote = 0x22;
const singleQuote = 0x27;
const star = 0x2a;
const comma = 0x2c;
const dash = 0x2d;
const colon = 0x3a;
const less = 0x3c;
const greater = 0x3e;
const question = 0x3f;
const openList = 0x5b;
const closeList = 0x5d;
const openMap = 0x7b;
const bar = 0x7c;
const closeMap = 0x7d;

/** Characters that cannot begin a node: `#`, `%`, `@`, and the indicators that were checked before. */
const noStart: ReadonlySet<number> = new Set(Array.from('#%@`,]}|>&!*', (character) => character.charCodeAt(0)));

const noToken = 'found character that cannot start any token';
const noMapping = 'mapping values are not allowed in this context';
const noSequence = 'block sequence entries are not allowed in this context';

/** A key that a mapping has twice, and where that is. */
export interface RepeatedKey {
  readonly key: string;
  readonly at: number;
}

/** A key, and its position. */
interface KeyNode {
  readonly key: unknown;
  readonly at: number;
}

type Fields = Record<string, unknown>;

/** More keys than this are not reported. */
const maxRepeated = 100;

/**
 * The context of a block node. An `item` is behind a dash or alone, and may be a collection that begins in the same
 * line. A `value` is behind a key: it may be a sequence whose dashes are not indented more than the key. `explicit` may
 * be both.
 */
type Role = 'item' | 'value' | 'explicit';

/**
 * Parses documents. Each method reads the node at the cursor, advances behind it and returns its value; invalid text is
 * a `YamlProblem`. It reads each character a bounded number of times.
 */
export class DocumentParser {
  readonly #cursor: Cursor;
  readonly #maxDepth: number;
  #handles = standardHandles;
  #repeated: RepeatedKey[] = [];
  readonly #mappings = new Mappings();
  #anchors: Anchors | undefined;
  #depth = 0;
  /** How many nodes were read or came by aliases. */
  #nodes = 0;

  constructor(cursor: Cursor, maxDepth: number) {
    this.#cursor = cursor;
    this.#maxDepth = maxDepth;
  }

  /** Reads a document: its root, which is `null` if it is empty, and the keys that it has twice. */
  read(handles: TagHandles): { value: unknown; repeated: readonly RepeatedKey[] } {
    this.#handles = handles;
    this.#anchors = undefined;
    this.#nodes = 0;
    if (this.#repeated.length > 0) this.#repeated = [];
    const value = this.#block(-1, 'item');
    return { value, repeated: this.#repeated };
  }

  /** Reads a node in lines indented more than `parent`, or in the line of its parent node. */
  #block(parent: number, role: Role): unknown {
    const cursor = this.#cursor;
    cursor.skip();
    if (cursor.startsLine) {
      if (cursor.endsDocument) return null;
      if (cursor.indent <= parent) {
        const isIndentless = role !== 'item' && cursor.indent === parent && cursor.follows(dash);
        return isIndentless ? this.#sequence(parent) : null;
      }
    }
    if (startsProperty(cursor.code)) return this.#withProperties(parent, role);
    if (cursor.follows(dash) || cursor.follows(question)) return this.#collection(role);
    return this.#inlineOrMapping(parent, role !== 'value' || cursor.startsLine, undefined);
  }

  #collection(role: Role): unknown {
    const cursor = this.#cursor;
    const isSequence = cursor.code === dash;
    if (role === 'value' && !cursor.startsLine) cursor.fail(isSequence ? noSequence : noMapping);
    return isSequence ? this.#sequence(cursor.column) : this.#mapping(cursor.column, undefined);
  }

  #sequence(column: number): unknown[] {
    const cursor = this.#cursor;
    this.#enter();
    if (cursor.afterTab) cursor.fail(noToken);
    cursor.at++;
    const items = [this.#block(column, 'item')];
    while (this.#nextEntry(column, '-') && cursor.follows(dash)) {
      cursor.at++;
      items.push(this.#block(column, 'item'));
    }
    this.#depth--;
    return items;
  }

  /** Advances to the next line of a collection; false if there is none. */
  #nextEntry(column: number, indicator: '-' | 'key'): boolean {
    const cursor = this.#cursor;
    cursor.skip();
    if (cursor.endsDocument) return false;
    if (cursor.startsLine && cursor.indent < column) return false;
    if (!cursor.startsLine || cursor.indent > column)
      cursor.fail(indicator === 'key' ? 'did not find expected key' : "did not find expected '-' indicator");
    if (cursor.afterTab) cursor.fail(noToken);
    return true;
  }

  /** Reads a mapping. Its first key may have been read, and then the cursor is at the colon. */
  #mapping(column: number, first: KeyNode | undefined): Fields {
    const cursor = this.#cursor;
    this.#enter();
    if (cursor.afterTab && !first) cursor.fail(noToken);
    let fields: Fields;
    if (first) {
      cursor.at++;
      fields = this.#store(undefined, first, this.#block(column, 'value'));
    } else fields = this.#explicitEntry(undefined, column);
    while (this.#nextEntry(column, 'key')) {
      if (cursor.follows(question)) this.#explicitEntry(fields, column);
      else this.#entry(fields, column);
    }
    this.#depth--;
    return fields;
  }

  #entry(fields: Fields, column: number): void {
    const cursor = this.#cursor;
    const { lineStart } = cursor;
    const properties = startsProperty(cursor.code) ? this.#properties() : undefined;
    const { at } = cursor;
    if (cursor.follows(dash)) cursor.fail('did not find expected key');
    const key = this.#inline(column, false, properties);
    cursor.skipBlanks();
    if (!cursor.follows(colon) || cursor.lineStart !== lineStart) cursor.fail("could not find expected ':'", at);
    cursor.at++;
    this.#store(fields, { key, at }, this.#block(column, 'value'));
  }

  /** Reads `? key` and the `: value` that may follow in the next line. */
  #explicitEntry(fields: Fields | undefined, column: number): Fields {
    const cursor = this.#cursor;
    cursor.at++;
    cursor.skipBlanks();
    const { at } = cursor;
    const key = this.#block(column, 'explicit');
    const hasValue = this.#nextEntry(column, 'key') && cursor.follows(colon);
    if (hasValue) cursor.at++;
    return this.#store(fields, { key, at }, hasValue ? this.#block(column, 'explicit') : null);
  }

  /** Sets a key of a mapping, which is made with its first one. */
  #store(mapping: Fields | undefined, { key, at }: KeyNode, value: unknown): Fields {
    const cursor = this.#cursor;
    if (typeof key === 'object' && key !== null) cursor.fail('invalid map key', at);
    const name = typeof key === 'string' ? key : String(key);
    const fields = mapping ?? this.#mappings.make(name);
    if (key === '<<' && cursor.text.charCodeAt(at) === less) {
      const sources = Array.isArray(value) ? value : [value];
      if (!sources.every((source) => this.#mappings.merge(fields, source)))
        cursor.fail('map merge requires map or sequence of maps as the value', at);
    } else if (this.#mappings.set(fields, name, value) && this.#repeated.length < maxRepeated)
      this.#repeated.push({ key: name, at });
    return fields;
  }

  /** Reads a node that may turn out to be the first key of a mapping, if there may be one. */
  #inlineOrMapping(parent: number, mayMap: boolean, properties: Properties | undefined): unknown {
    const cursor = this.#cursor;
    const { at, lineStart, afterTab } = cursor;
    const column = properties ? properties.column : cursor.column;
    if (cursor.code === bar || cursor.code === greater) return this.#blockText(parent, properties);
    const value = this.#inline(parent, false, properties);
    cursor.skipBlanks();
    if (!cursor.follows(colon)) return value;
    if (!mayMap || cursor.lineStart !== lineStart) cursor.fail(noMapping);
    if (afterTab) cursor.fail(noToken, at);
    return this.#mapping(column, { key: value, at });
  }

  #blockText(parent: number, properties: Properties | undefined): unknown {
    this.#nodes++;
    const text = readBlockScalar(this.#cursor, parent);
    if (properties === undefined) return text;
    const value = properties.tag === undefined ? text : scalarValue(this.#cursor, text, properties.tag);
    return this.#anchored(properties, () => value);
  }

  /** Properties belong to the node in the same line, which may be a key, or else to the node in the next lines. */
  #withProperties(parent: number, role: Role): unknown {
    const cursor = this.#cursor;
    const { lineStart, startsLine } = cursor;
    const properties = this.#properties();
    cursor.skip();
    if (cursor.lineStart !== lineStart || cursor.atEnd)
      return this.#anchored(properties, () => this.#below(parent, role, properties.tag));
    if (cursor.follows(dash) || cursor.follows(question)) cursor.fail(noSequence);
    return this.#inlineOrMapping(parent, role !== 'value' || startsLine, properties);
  }

  #properties(): Properties {
    return readProperties(this.#cursor, this.#handles);
  }

  /** Reads the node below its tag. */
  #below(parent: number, role: Role, tag: string | undefined): unknown {
    const cursor = this.#cursor;
    const { at } = cursor;
    const value = this.#block(parent, role);
    if (tag === undefined) return value;
    if (value === null) return scalarValue(cursor, '', tag);
    if (typeof value === 'string') return scalarValue(cursor, value, tag);
    if (typeof value !== 'object') return scalarValue(cursor, cursor.text.slice(at, cursor.at).trimEnd(), tag);
    checkCollection(cursor, value, tag);
    return value;
  }

  /** Reads a node and stores it under its anchor, if it has one. */
  #anchored(properties: Properties, read: () => unknown): unknown {
    const { anchor } = properties;
    if (anchor === undefined) return read();
    this.#anchors ??= new Anchors(this.#cursor, this.#maxDepth);
    this.#anchors.open(anchor);
    const before = this.#nodes;
    const value = read();
    this.#anchors.close(anchor, { value, size: Math.max(this.#nodes - before, 1) });
    return value;
  }

  /** Reads a node that is no block: text, an alias, or a collection in brackets. */
  #inline(parent: number, inFlow: boolean, properties: Properties | undefined): unknown {
    if (properties) return this.#anchored(properties, () => this.#taggedInline(parent, inFlow, properties.tag));
    const cursor = this.#cursor;
    this.#nodes++;
    switch (cursor.code) {
      case doubleQuote:
      case singleQuote:
        return readQuoted(cursor);
      case openList:
        return this.#flowList();
      case openMap:
        return this.#flowMap();
      case star:
        return this.#alias();
      default:
        return scalarValue(cursor, this.#plain(parent, inFlow), undefined);
    }
  }

  #taggedInline(parent: number, inFlow: boolean, tag: string | undefined): unknown {
    const cursor = this.#cursor;
    const { code } = cursor;
    if (code === star) cursor.fail('did not find expected node content');
    if (code === openList || code === openMap) {
      const value = this.#inline(parent, inFlow, undefined);
      checkCollection(cursor, value, tag);
      return value;
    }
    this.#nodes++;
    if (code === doubleQuote || code === singleQuote) return scalarValue(cursor, readQuoted(cursor), tag ?? '!');
    const isEmpty = inFlow && (isFlowIndicator(code) || code === colon);
    return scalarValue(cursor, isEmpty ? '' : this.#plain(parent, inFlow), tag);
  }

  #plain(parent: number, inFlow: boolean): string {
    const cursor = this.#cursor;
    const { code, text, at } = cursor;
    if (noStart.has(code)) cursor.fail(noToken);
    if (code === dash || code === question || code === colon) {
      const next = text.charCodeAt(at + 1);
      if (isBlank(next) || (inFlow && isFlowIndicator(next))) cursor.fail(code === dash ? noSequence : noMapping);
    }
    return readPlain(cursor, parent, inFlow);
  }

  #alias(): unknown {
    const name = readName(this.#cursor);
    this.#anchors ??= new Anchors(this.#cursor, this.#maxDepth);
    const { value, size } = this.#anchors.copy(name, { depth: this.#depth, nodes: this.#nodes });
    this.#nodes += size;
    return value;
  }

  #flowList(): unknown[] {
    const cursor = this.#cursor;
    this.#enter();
    this.#skipIndicator();
    const items = cursor.code === closeList ? [] : [this.#flowItem()];
    if (items.length > 0) this.#endFlowEntry(closeList);
    for (; cursor.code !== closeList; this.#endFlowEntry(closeList)) items.push(this.#flowItem());
    cursor.at++;
    this.#depth--;
    return items;
  }

  /** An item of a list in brackets, which is a mapping of one key if a colon follows. */
  #flowItem(): unknown {
    const cursor = this.#cursor;
    const { lineStart } = cursor;
    const isExplicit = cursor.follows(question);
    if (isExplicit) this.#skipIndicator();
    const { at } = cursor;
    const item = this.#flowKey();
    this.#skipInFlow();
    const hasValue = cursor.code === colon && (cursor.lineStart === lineStart || isExplicit);
    if (!hasValue) return isExplicit ? this.#store(undefined, { key: item, at }, null) : item;
    return this.#store(undefined, { key: item, at }, this.#flowValue());
  }

  #flowMap(): Fields {
    const cursor = this.#cursor;
    this.#enter();
    let fields: Fields | undefined;
    this.#skipIndicator();
    for (; cursor.code !== closeMap; this.#endFlowEntry(closeMap)) fields = this.#flowEntry(fields);
    cursor.at++;
    this.#depth--;
    return fields ?? {};
  }

  #flowEntry(fields: Fields | undefined): Fields {
    const cursor = this.#cursor;
    const { lineStart } = cursor;
    const isExplicit = cursor.follows(question);
    if (isExplicit) this.#skipIndicator();
    const { at } = cursor;
    const key = this.#flowKey();
    this.#skipInFlow();
    const hasValue = cursor.code === colon && (cursor.lineStart === lineStart || isExplicit);
    return this.#store(fields, { key, at }, hasValue ? this.#flowValue() : null);
  }

  /** Reads the value after the colon at the cursor. */
  #flowValue(): unknown {
    const cursor = this.#cursor;
    this.#skipIndicator();
    const { code } = cursor;
    return code === comma || code === closeList || code === closeMap ? null : this.#flowNode();
  }

  /** Reads what may be a key. That may be left out, so that a colon comes first. */
  #flowKey(): unknown {
    const { text, at } = this.#cursor;
    const next = text.charCodeAt(at + 1);
    const isLeftOut = text.charCodeAt(at) === colon && (isBlank(next) || isFlowIndicator(next));
    return isLeftOut ? null : this.#flowNode();
  }

  #flowNode(): unknown {
    if (!startsProperty(this.#cursor.code)) return this.#inline(-1, true, undefined);
    const properties = this.#properties();
    this.#skipInFlow();
    return this.#inline(-1, true, properties);
  }

  #skipIndicator(): void {
    this.#cursor.at++;
    this.#skipInFlow();
  }

  #skipInFlow(): void {
    this.#cursor.skip();
    if (this.#cursor.endsDocument) this.#cursor.fail('did not find expected node content');
  }

  /** Advances to the next entry, over the comma, or to the closing bracket. */
  #endFlowEntry(close: number): void {
    const cursor = this.#cursor;
    this.#skipInFlow();
    if (cursor.code === comma) this.#skipIndicator();
    else if (cursor.code !== close) cursor.fail(`did not find expected ',' or '${String.fromCharCode(close)}'`);
  }

  #enter(): void {
    if (++this.#depth > this.#maxDepth) this.#cursor.fail('exceeded max depth');
  }
}
