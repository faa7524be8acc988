import { type Language, textsIn } from '../texts.ts';
import { textOn } from './colour.ts';
import { type Assets, escapeHtml, htmlDocument, settingsAttribute } from './document.ts';

/** What the page of a widget shows. */
export interface ChatSettings {
  readonly title: string;
  readonly greeting: string | null;
  readonly colour: string;
  readonly language: Language;
  readonly ask_before: readonly string[];
}

/** The page of a chat. @param path of the widget, such as `/w/abc` */
export function chatPage(path: string, settings: ChatSettings, assets: Assets): string {
  const { title, greeting, colour, language, ask_before: asks } = settings;
  const texts = textsIn(language);
  const data = settingsAttribute({ path, title, greeting, colour, onColour: textOn(colour), asks, language, texts });
  return htmlDocument({
    language,
    title,
    assets,
    body: `<div id="chat" ${data}></div><noscript><p>${escapeHtml(texts.needsScript)}</p></noscript>`,
  });
}

/** The page of a button that opens the chat app. */
export function buttonPage(path: string, { title, greeting, language }: ChatSettings, assets: Assets): string {
  const intro = greeting === null ? '' : `<p>${escapeHtml(greeting)}</p>`;
  const link = `<p><a class="button" href="${path}/go" target="_blank" rel="noopener">${escapeHtml(textsIn(language).openApp)}</a></p>`;
  const own = { ...assets, styles: [...assets.styles, `${path}/colours.css`] };
  return htmlDocument({ language, title, assets: own, body: `<main class="page"><h1>${escapeHtml(title)}</h1>${intro}${link}</main>` });
}
