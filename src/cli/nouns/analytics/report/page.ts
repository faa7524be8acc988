import { jsx as h } from 'hono/jsx';
import type { Chart } from '../charts.ts';
import { chartFigures } from './svg.ts';

/** What a report says above its charts. */
interface Report {
  readonly title: string;
  /** The days, and what the figures are limited to. */
  readonly about: string;
  readonly figures: readonly (readonly [name: string, value: string])[];
  readonly charts: readonly Chart[];
}

const style = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --paper: #fff; --line: #d9d9e0; --mark: #0b68cb; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #b0b4ba; --paper: #18191b; --line: #43484e; --mark: #70b8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem; max-width: 60rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.6rem; } h2 { margin: 0; font-size: 1.1rem; } p { margin: .2rem 0 .8rem; color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; margin: 1.5rem 0; }
dl div { padding: .8rem; border: 1px solid var(--line); border-radius: .4rem; } dt { color: var(--soft); font-size: .9rem; } dd { margin: 0; font-size: 1.4rem; }
figure { margin: 2rem 0; break-inside: avoid; } svg { width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 12px; }
.grid { stroke: var(--line); } .line { fill: none; stroke: var(--mark); stroke-width: 2; stroke-linejoin: round; } .bar, .heat { fill: var(--mark); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; } th, td { padding: .15rem .6rem; border-bottom: 1px solid var(--line); text-align: right; font-variant-numeric: tabular-nums; }
th[scope=row], thead th:first-child { text-align: left; font-weight: normal; } summary { cursor: pointer; color: var(--soft); }
@media print { :root { --ink: #000; --soft: #333; --paper: #fff; --line: #bbb; --mark: #000; } details::details-content { content-visibility: visible; display: block; } summary { display: none; } .scroll { overflow: visible; } table { font-size: .6rem; } th, td { padding: 0 .2rem; } }
`;

/** A page that needs nothing else: no script, no file, no network. */
export async function reportPage({ title, about, figures, charts }: Report): Promise<string> {
  const page = h('html', { lang: 'en' }, [
    h('head', null, [
      h('meta', { charset: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('meta', { 'http-equiv': 'Content-Security-Policy', content: "default-src 'none'; style-src 'unsafe-inline'" }),
      h('title', null, title),
      h('style', { dangerouslySetInnerHTML: { __html: style } }),
    ]),
    h('body', null, [
      h('header', null, [h('h1', null, title), h('p', null, about)]),
      h('main', null, [
        h(
          'dl',
          null,
          figures.map(([name, value]) => h('div', null, [h('dt', null, name), h('dd', null, value)])),
        ),
        ...charts.flatMap((chart, index) => chartFigures(chart, `chart-${index}`)),
      ]),
    ]),
  ]);
  return `<!doctype html>\n${await page.toString()}\n`;
}
