/** Escapes a text for HTML, also within an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

interface Document {
  readonly language: string;
  readonly title: string;
  /** The addresses of styles and of a script. */
  readonly styles: readonly string[];
  readonly script?: string | undefined;
  /** HTML, whose texts are escaped. */
  readonly body: string;
}

/** A page. Nothing in it is inline, so that its policy need not allow that. */
export function htmlDocument({ language, title, styles, script, body }: Document): string {
  const links = styles.map((style) => `<link rel="stylesheet" href="${escapeHtml(style)}">`);
  const module = script === undefined ? '' : `<script type="module" src="${escapeHtml(script)}"></script>`;
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
${links.join('')}${module}
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
