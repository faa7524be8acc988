import { contactDetail } from '../contact-details.ts';

/**
 * The lines of a block without markup. No pattern for a pair of marks reads past the next mark, so that the time is that of the
 * length.
 * @param block the lines of a paragraph, an item or a row
 */
export function plainLines(block: string): string[] {
  const text = block
    .replace(/!\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, '$1')
    .replace(/\[([^[\]]*)\]\(((?:[^()]|\([^()]*\))*)\)/g, (_, name: string, target: string) => linkText(name, target))
    .replace(/<(?:mailto:|tel:)?([^\s<>]{1,200}@[^\s<>]{1,200}|\+?\d[\d ().-]{4,30})>/gi, '$1')
    .replace(/(\*\*|__)(?=\S)((?:(?!\1)[^])*\S)\1/g, '$2')
    .replace(/(^|\s)([*_])(?=\S)([^*_]*\S)\2(?=\W|$)/g, '$1$3')
    .replace(/`([^`]*)`/g, '$1');
  return text.split('\n').map(withoutEdges);
}

/** A line without the marks of a row, a quote or an item, and without backslashes before marks. */
function withoutEdges(line: string): string {
  return line
    .replace(/^\s*\|(.*)\|\s*$/, (_, cells: string) => cells.trim())
    .replace(/^\s*>\s?/, '')
    .replace(/^(\s*)[*+]\s+/, '$1- ')
    .replace(/\\([\\`*_{}[\]()#+.!|>~-])/g, '$1');
}

/** The text of a link, with the contact details that it leads to. */
function linkText(text: string, target: string): string {
  const detail = contactDetail(target.trim().split(/\s/)[0] ?? '', text);
  return detail === null ? text : `${text} (${detail})`;
}
