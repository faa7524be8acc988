import type { PageNode } from './dom.ts';

/** What stands between the parts of an element of MathML. */
const signs: Readonly<Record<string, string>> = { MFRAC: '/', MSUP: '^', MSUB: '_' };

/** Parts of a formula that repeat it in another notation. */
const notations = new Set(['ANNOTATION', 'ANNOTATION-XML']);

/** The text of a formula in MathML, in one line: `weight/height^2`. */
export function formulaText(node: PageNode): string {
  const name = node.nodeName.toUpperCase();
  if (notations.has(name)) return '';
  if (node.nodeType === 3) return (node.textContent ?? '').trim();
  const parts = Array.from(node.childNodes, formulaText).filter((part) => part !== '');
  if (name === 'MSQRT') return `√${grouped(parts.join(''))}`;
  const sign = signs[name];
  return sign === undefined ? parts.join('') : parts.map(grouped).join(sign);
}

/** A part of several terms, in parentheses. */
function grouped(part: string): string {
  return /[-+−±=,/\s]/.test(part) && !/^√?\([^()]*\)$/.test(part) ? `(${part})` : part;
}
