import { type Assets, escapeHtml, htmlDocument } from './document.ts';

/** The page for an error, which has no script. @param assets none when the pages were not built */
export function errorPage({ status, text }: { readonly status: number; readonly text: string }, assets: Assets = { styles: [] }): string {
  const body = `<main class="page"><h1>${escapeHtml(text)}</h1><p>${status}</p></main>`;
  return htmlDocument({ language: 'en', title: text, assets, body });
}
