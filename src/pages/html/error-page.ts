import { escapeHtml, htmlDocument } from './document.ts';

/** The page for an error. It has no script, and needs no styles. @param style the address of the styles, if they are there */
export function errorPage({
  status,
  text,
  style,
}: {
  readonly status: number;
  readonly text: string;
  readonly style?: string | undefined;
}) {
  const body = `<main class="page"><h1>${status}</h1><p>${escapeHtml(text)}.</p></main>`;
  return htmlDocument({ language: 'en', title: `${status}`, styles: style === undefined ? [] : [style], body });
}
