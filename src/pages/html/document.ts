const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML, also within an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}

/** The addresses of what a page needs. */
export interface Assets {
  readonly styles: readonly string[];
  readonly icon?: string;
  readonly script?: string;
}

interface Document {
  readonly language: string;
  readonly title: string;
  readonly assets: Assets;
  /** HTML, whose texts are escaped. */
  readonly body: string;
}

/** A page. Nothing in it is inline, so that its policy need not allow that. */
export function htmlDocument({ language, title, assets: { styles, icon, script }, body }: Document): string {
  const links = styles.map((style) => `<link rel="stylesheet" href="${escapeHtml(style)}">`);
  if (icon !== undefined) links.push(`<link rel="icon" href="${escapeHtml(icon)}">`);
  // A module would run 25 ms later on a slow phone.
  const code = script === undefined ? '' : `<script defer src="${escapeHtml(script)}"></script>`;
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
${links.join('')}${code}
</head>
<body>
${body}
</body>
</html>
`;
}

/** Settings for a script, as an attribute of the element that it fills. */
export function settingsAttribute(settings: object): string {
  return `data-settings="${escapeHtml(JSON.stringify(settings))}"`;
}
