/** A paragraph. */
export interface Paragraph {
  readonly text: string;
  /** The texts of its links, if it consists of links, and labels such as `Next:`. */
  readonly links: readonly string[];
}

/** What the links of a site's navigation say. */
const siteLinks = new Set(
  [
    'home, start, faq, contact, contact us, about, about us, imprint, legal notice, privacy, privacy policy, terms, sitemap, blog, jobs, careers',
    'log in, login, log out, logout, sign in, sign up, sign out, register, my account, cart, basket, checkout',
    'startseite, kontakt, über uns, impressum, datenschutz, agb, anmelden, abmelden, einloggen, registrieren, warenkorb, mein konto',
    'accueil, mentions légales, connexion, se connecter, panier, inicio, contacto, aviso legal, iniciar sesión, carrito',
    'contatti, accedi, carrello, inloggen, winkelwagen, entrar, carrinho, contato',
  ].flatMap((names) => names.split(', ')),
);

/** The labels of links between the pages of a manual, in lower case. */
export const manualLabels = new Set(['next:', 'previous:', 'prev:', 'up:']);

/**
 * Whether a paragraph is navigation: links between the pages of a manual, or links in a row, or in a list without numbers, that are known
 * from navigation. What begins a section, or is introduced by a colon, is its answer.
 * @param before the paragraph before it in its section
 */
export function isNavigation({ text, links }: Paragraph, before: Paragraph | undefined, hasHeading: boolean): boolean {
  if (links.filter((link) => manualLabels.has(link.toLowerCase())).length > 1) return true;
  if (links.length === 0 || /^\d+\. /.test(text)) return false;
  if (before ? before.text.endsWith(':') : hasHeading) return false;
  const known = links.filter((link) => siteLinks.has(link.toLowerCase())).length;
  return known >= (text.startsWith('- ') ? 2 : 1);
}
