import { type Event, EVENT_ID, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

/** Where a value stands, and those in it, by their names or numbers. */
interface Positioned {
  readonly start: number;
  readonly inner: ReadonlyMap<string, { readonly key: number; readonly value: Positioned }>;
}

/** The lines and columns of the values of a file. Both start at 1. */
export class Positions {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Positioned>();
  readonly #root: Positioned;
  readonly #lineStarts: readonly number[];
  /** The next event; the first one opens the document. */
  #next = 1;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    this.#root = events.length === 0 ? { start: 0, inner: new Map() } : this.#read(0);
  }

  /** The position of a value, or with `ofKey` of the name of a field; of the nearest one around it, when the path leads further. */
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

  /** Reads the value of the next events. @param before the position of one without any text */
  #read(before: number): Positioned {
    const event = this.#events[this.#next++];
    switch (event?.type) {
      case EVENT_ID.ALIAS:
        // The name follows the asterisk.
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

  /** Remembers a value that has an anchor. */
  #named(event: { readonly anchorStart: number; readonly anchorEnd: number }, value: Positioned): Positioned {
    if (event.anchorStart !== -1) this.#anchors.set(this.#slice(event), value);
    return value;
  }

  #slice({ anchorStart, anchorEnd }: { readonly anchorStart: number; readonly anchorEnd: number }): string {
    return this.#text.slice(anchorStart, anchorEnd);
  }
}

/** Where a scalar starts, its quote included; undefined for one without any text. */
function startOf({ valueStart, style }: ScalarEvent): number | undefined {
  if (valueStart === -1) return undefined;
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? valueStart - 1 : valueStart;
}
