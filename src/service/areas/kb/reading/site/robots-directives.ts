import { crawlerName } from '../../sites/robots-rules.ts';
import type { PageDocument } from '../html/dom.ts';

/** What a page asks of robots. */
export interface RobotsDirectives {
  /** Not to be indexed. */
  readonly noIndex: boolean;
  /** Not to follow its links. */
  readonly noFollow: boolean;
}

/** Directives with a value, such as `max-image-preview: none`. */
const withValue = /\bmax-(?:snippet|image-preview|video-preview)\s*:[^,]*/g;

/** The date after which a page is not to be indexed. It may have a comma behind the day of the week. */
const until = /\bunavailable_after\s*:\s*((?:[a-z]{3,9}\s*,)?[^,]*)/g;

/**
 * Reads what a page asks of robots, in its meta elements and in the header `X-Robots-Tag`: what addresses all robots, and what
 * addresses this one.
 * @param header empty without one
 * @param now in epoch milliseconds
 */
export function robotsDirectives(document: PageDocument, header: string, now: number): RobotsDirectives {
  const metas = [...document.querySelectorAll('meta[name]')]
    .filter((meta) => ['robots', crawlerName].includes((meta.getAttribute('name') ?? '').trim().toLowerCase()))
    .map((meta) => meta.getAttribute('content') ?? '');
  const values = [...metas, ownValues(header).join()].map((value) => value.toLowerCase());
  const words = new Set(
    values.flatMap((value) =>
      value
        .replace(until, '')
        .replace(withValue, '')
        .split(/[\s,;]+/),
    ),
  );
  const asks = (...names: readonly string[]) => names.some((name) => words.has(name));
  const isPast = values.some((value) => [...value.matchAll(until)].some(([, date = '']) => Date.parse(date) < now));
  return { noIndex: asks('noindex', 'none') || isPast, noFollow: asks('nofollow', 'none') };
}

/** The directives of a header that are for all robots or for this one. Those after `name:` are for the robot of this name. */
function ownValues(header: string): string[] {
  let isOwn = true;
  return header.split(',').flatMap((part) => {
    const [, name, rest] = /^\s*([a-z0-9_*-]+)\s*:(.*)$/i.exec(part) ?? [];
    // The name of a directive with a value, such as `max-snippet: 50`, is no robot.
    if (name === undefined || /^(max-|unavailable_after)/i.test(name)) return isOwn ? [part] : [];
    isOwn = ['*', crawlerName].includes(name.toLowerCase());
    return isOwn ? [rest ?? ''] : [];
  });
}
