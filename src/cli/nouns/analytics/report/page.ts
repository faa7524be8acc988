import { jsx as h } from 'hono/jsx';
import type { Chart } from '../charts.ts';
import { chartFigures, isolated, table } from './svg.ts';

/** The contents of a report. */
interface Report {
  readonly title: string;
  /** The account, the days and the filters of the figures. */
  readonly about: readonly string[];
  readonly figures: readonly (readonly [name: string, value: string])[];
  readonly charts: readonly Chart[];
  /** The latest conversations: when, what happened, and in which campaign. */
  readonly latest: readonly (readonly [at: string, what: string, campaign: string])[];
}

const style = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --paper: #fff; --line: #d9d9e0; --track: #f0f0f3; --mark: #0b68cb; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #b0b4ba; --paper: #18191b; --line: #43484e; --track: #272a2d; --mark: #70b8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 60rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.6rem; } h2 { margin: 0; font-size: 1.1rem; } p { margin: .2rem 0 .8rem; color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; margin: 1.5rem 0; }
dl div { padding: .8rem; border: 1px solid var(--line); border-radius: .4rem; } dt { color: var(--soft); font-size: .9rem; } dd { margin: 0; font-size: 1.4rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 2rem; align-items: start; }
section { margin-top: 2rem; } figure { margin: 0; min-width: 0; break-inside: avoid; } .wide { grid-column: 1 / -1; }
figure > svg { display: block; margin-left: var(--left); width: calc(100% - var(--left)); overflow: visible; } svg text { fill: var(--soft); font-size: 13px; }
svg .value { fill: var(--ink); } .grid { stroke: var(--line); } .track { fill: var(--track); } .bar, .heat, .point { fill: var(--mark); }
.line { fill: none; stroke: var(--mark); stroke-width: 2; stroke-linejoin: round; } .heat { stroke: var(--paper); stroke-width: 2; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; overflow-wrap: normal; } th, td { padding: .15rem .6rem; border-bottom: 1px solid var(--line); text-align: right; font-variant-numeric: tabular-nums; }
th[scope=row], thead th:first-child { text-align: left; font-weight: normal; } .days th, .hours th, .texts th { white-space: nowrap; } .texts th, .texts td { text-align: left; } summary { padding: .3rem 0; cursor: pointer; color: var(--soft); }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #333; --paper: #fff; --line: #bbb; --track: #eee; --mark: #0b4f9e; }
  body { padding: 0 2px; max-width: none; font-size: 12px; } .charts { gap: 1.2rem 2rem; } figure { break-inside: auto; } figcaption, figure > svg, tr { break-inside: avoid; } figcaption, figure > svg { break-after: avoid; }
  details::details-content { content-visibility: visible; display: block; } summary { display: none; }
  .scroll { overflow: visible; } .scroll:has(.days) { columns: 8rem; } table { width: 100%; font-size: 10px; } th, td { padding: 0 .2rem; } table:not(.days, .hours) tbody th { min-width: 8.5em; white-space: normal; overflow-wrap: anywhere; } .texts td { overflow-wrap: anywhere; }
}
`;

/** A self-contained page without scripts, external files or network access. */
export async function reportPage({ title, about, figures, charts, latest }: Report): Promise<string> {
  const drawn = await Promise.all(charts.map((chart, index) => chartFigures(chart, `chart-${index}`)));
  const page = h('html', { lang: 'en' }, [
    h('head', null, [
      h('meta', { charset: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { 'http-equiv': 'Content-Security-Policy', content: "default-src 'none'; style-src 'unsafe-inline'" }),
      h('title', null, title),
      h('style', { dangerouslySetInnerHTML: { __html: style } }),
    ]),
    h('body', null, [
      h('header', null, [h('h1', null, title), h('p', null, about.map(isolated).join(' · '))]),
      h('main', null, [
        h(
          'dl',
          null,
          figures.map(([name, value]) => h('div', null, [h('dt', null, name), h('dd', null, value)])),
        ),
        h('div', { class: 'charts' }, drawn.flat()),
        latest.length > 0 &&
          h('section', { 'aria-labelledby': 'latest' }, [
            h('h2', { id: 'latest' }, 'Latest conversations'),
            h(
              'div',
              { class: 'scroll', tabindex: 0, role: 'region', 'aria-labelledby': 'latest' },
              table(['Time', 'What happened', 'Campaign'], latest, 'texts'),
            ),
          ]),
      ]),
    ]),
  ]);
  return `<!doctype html>\n${await page.toString()}\n`;
}
