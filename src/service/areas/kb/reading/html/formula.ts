import type { PageNode } from './dom.ts';

/** What stands between the parts of an element of MathML. */
const signs: Readonly<Record<string, readonly string[]>> = { MFRAC: ['/'], MSUP: ['^'], MSUB: ['_'], MSUBSUP: ['_', '^'] };

/** Elements that cannot be written in a line: matrices, and what stands above and below a sign. */
const layered = 'mtable, munder, mover, munderover, mmultiscripts';

/** The text of a formula in MathML, in one line: `weight/height^2`. Where that is not possible, its TeX; empty without it. */
export function formulaText(formula: PageNode): string {
  if (formula.querySelector(layered)) return formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent ?? '';
  return lineOf(formula).replace(/\s+/g, ' ').trim();
}

function lineOf(node: PageNode): string {
  if (node.nodeType === 3) return (node.textContent ?? '').trim();
  const name = node.nodeName.toUpperCase();
  if (name.startsWith('ANNOTATION')) return '';
  if (name === 'MTEXT') return ` ${node.textContent ?? ''} `;
  const parts = Array.from(node.childNodes, lineOf).filter((part) => part !== '');
  if (name === 'MSQRT') return `√${grouped(joined(parts))}`;
  if (name === 'MROOT') return `${grouped(parts[0] ?? '')}^(1/${grouped(parts[1] ?? '')})`;
  const between = signs[name];
  return between ? parts.map((part, index) => (between[index - 1] ?? '') + grouped(part)).join('') : joined(parts);
}

/** Joins terms. Words stand apart: `sin x`. */
function joined(parts: readonly string[]): string {
  return parts.reduce((text, part) => text + (/\p{L}{2}$/u.test(text) && /^[\p{L}\d]/u.test(part) ? ' ' : '') + part, '');
}

/** A part of several terms, in parentheses. */
function grouped(part: string): string {
  return /[-+−±=,/×·⋅*\s]/.test(part) && !/^√?\([^()]*\)$/.test(part) ? `(${part})` : part;
}
