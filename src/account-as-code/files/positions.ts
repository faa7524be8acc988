import { type Event, EVENT_ID, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

/** The position of a value, and the positions of its fields or items by key or index. */
interface Positioned {
  readonly start: number;
  readonly inner: ReadonlyMap<string, { readonly key: number; readonly value: Positioned }>;
}

/** The positions of all values in a file. Lines and columns start at 1. */
export class Positions {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Positioned>();
  readonly #root: Positioned;
  readonly #lineStarts: readonly number[];
  /** The index of the next event. Event 0 opens the document. */
  #next = 1;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    this.#root = events.length === 0 ? { start: 0, inner: new Map() } : this.#read(0);
  }

  /**
   * The position of a value or, with `ofKey`, of a field's key. If the path does not exist, the position of the nearest
   * enclosing value.
   */
  of(path: readonly PropertyKey[], ofKey: boolean): { line: number; column: number } {
    let value = this.#root;
    let { start } = value;
    for (const [index, step] of path.entries()) {
      const found = value.inner.get(String(step));
      if (!found) break;
      value = found.value;
      start = ofKey && index === path.length - 1 ? found.key : value.start;
    }
    const line = this.#lineStarts.findLastIndex((lineStart) => lineStart <= start);
    return { line: line + 1, column: start - (this.#lineStarts[line] ?? 0) + 1 };
  }

  /** Reads the value that starts at the next event. @param before the position to use for an empty value */
  #read(before: number): Positioned {
    const event = this.#events[this.#next++];
    switch (event?.type) {
      case EVENT_ID.ALIAS:
        // The alias name follows the asterisk.
        return { start: event.anchorStart - 1, inner: this.#anchors.get(this.#slice(event))?.inner ?? new Map() };
      case EVENT_ID.SCALAR:
        return this.#named(event, { start: startOf(event) ?? before, inner: new Map() });
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        return this.#named(event, this.#readInner(event.start, event.type === EVENT_ID.MAPPING));
      default:
        return { start: before, inner: new Map() };
    }
  }

  #readInner(start: number, isMapping: boolean): Positioned {
    const inner = new Map<string, { key: number; value: Positioned }>();
    while (this.#next < this.#events.length && this.#events[this.#next]?.type !== EVENT_ID.POP) {
      const event = this.#events[this.#next];
      const key = isMapping ? this.#read(start).start : start;
      const name = isMapping && event?.type === EVENT_ID.SCALAR ? getScalarValue(this.#text, event) : String(inner.size);
      inner.set(name, { key, value: this.#read(key) });
    }
    this.#next++;
    return { start, inner };
  }

  /** Registers the anchor of a value, if it has one. */
  #named(event: { readonly anchorStart: number; readonly anchorEnd: number }, value: Positioned): Positioned {
    if (event.anchorStart !== -1) this.#anchors.set(this.#slice(event), value);
    return value;
  }

  #slice({ anchorStart, anchorEnd }: { readonly anchorStart: number; readonly anchorEnd: number }): string {
    return this.#text.slice(anchorStart, anchorEnd);
  }
}

/** Where a scalar starts, including its quote; undefined for an empty scalar. */
function startOf({ valueStart, style }: ScalarEvent): number | undefined {
  if (valueStart === -1) return undefined;
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? valueStart - 1 : valueStart;
}
