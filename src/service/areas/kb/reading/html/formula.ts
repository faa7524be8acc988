import type { PageNode } from './dom.ts';

/** What stands between the parts of an element of MathML. */
const signs: Readonly<Record<string, readonly string[]>> = {
  MFRAC: ['/'],
  MSUP: ['^'],
  MSUB: ['_'],
  MSUBSUP: ['_', '^'],
  MUNDER: ['_'],
  MUNDEROVER: ['_', '^'],
};

/** Elements that TeX tells better in a line: matrices, and what stands above and below a sign. */
const layered = 'mtable, munder, mover, munderover, mmultiscripts';

/** Signs without a form: that a function is applied, a product, and parts of a list. */
const invisible = /[\u2061-\u2064]/g;

/** A line or a sign above a letter. */
const accent = /^[^\p{L}\p{N}]$/u;

/** The text of a formula in MathML, in one line: `weight/height^2`. What has several lines is told in TeX, if there is some. */
export function formulaText(formula: PageNode): string {
  const tex = formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent;
  if (tex && formula.querySelector(layered)) return tex;
  return lineOf(formula).replace(/\s+/g, ' ').trim();
}

function lineOf(node: PageNode): string {
  if (node.nodeType === 3) return (node.textContent ?? '').replace(invisible, '').trim();
  const name = node.nodeName.toUpperCase();
  if (name.startsWith('ANNOTATION')) return '';
  if (name === 'MTEXT') return ` ${node.textContent ?? ''} `;
  const parts = Array.from(node.childNodes, lineOf).filter((part) => part !== '');
  if (name === 'MSQRT') return `√${grouped(joined(parts))}`;
  if (name === 'MROOT') return `${grouped(parts[0] ?? '')}^(1/${grouped(parts[1] ?? '')})`;
  if (/^M(?:OVER|UNDER)$/.test(name) && accent.test(parts[1] ?? '')) return /[⏞⏟]/.test(parts[1] ?? '') ? (parts[0] ?? '') : joined(parts);
  if (name === 'MOVER') return parts.map(grouped).join('^');
  if (name === 'MTABLE' || name === 'MTR') return parts.join(name === 'MTR' ? ', ' : '; ');
  const between = signs[name];
  if (between && name.startsWith('MUNDER')) return `${withSigns(parts, between)} `;
  return between ? withSigns(parts, between) : joined(parts);
}

function withSigns(parts: readonly string[], between: readonly string[]): string {
  return parts.map((part, index) => (between[index - 1] ?? '') + grouped(part)).join('');
}

/** Joins terms. Words and whole numbers stand apart: `sin x`, `2 1/2`. */
function joined(parts: readonly string[]): string {
  return parts.map((part, index) => (index > 0 && areApart(parts[index - 1] ?? '', part) ? ' ' : '') + part).join('');
}

function areApart(before: string, part: string): boolean {
  if (/\p{L}$/u.test(before) && /^\p{L}/u.test(part)) return /\p{L}{2}$/u.test(before) || /^\p{L}{2}/u.test(part);
  return /(?:\p{L}{2}|\d)$/u.test(before) && /^\d/.test(part);
}

/** A part of several terms, in parentheses. */
function grouped(part: string): string {
  const term = part.trim();
  return /.[-+−±=,/×·⋅*\s→<>≤≥≠≈∈]|[-+−±=,/×·⋅*\s→<>≤≥≠≈∈]./.test(term) && !/^√?\([^()]*\)$/.test(term) ? `(${term})` : term;
}
