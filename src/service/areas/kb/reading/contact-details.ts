import type { PageDocument } from './html/dom.ts';

/** The path of addresses that a common proxy hides from robots. */
const hiddenAddress = /\/cdn-cgi\/l\/email-protection#([0-9a-f]+)$/i;

/** The attribute of what was a link to somebody. */
export const contactLink = 'data-contact';

/** How many of a number's last digits a text has when it says the number in another form. */
const comparedDigits = 7;

/**
 * Writes contact details behind links into the text, and decodes hidden email addresses. These links are none afterwards.
 */
export function showContactDetails(document: PageDocument): void {
  for (const element of [...document.querySelectorAll('[data-cfemail]')]) {
    const address = decodedAddress(element.getAttribute('data-cfemail') ?? '');
    if (address !== null) element.textContent = address;
    element.removeAttribute('data-cfemail');
  }
  for (const link of [...document.querySelectorAll('a[href]')]) {
    const [href, text] = [link.getAttribute('href') ?? '', link.textContent ?? ''];
    if (contactBehind(href) === null) continue;
    const detail = contactDetail(href, text);
    if (detail !== null) link.append(document.createTextNode(text.trim() === '' ? detail : ` (${detail})`));
    link.removeAttribute('href');
    link.setAttribute(contactLink, '');
  }
}

/**
 * The email address or number that a link leads to; null when there is none, or when its text says it already.
 * @param text the text of the link
 */
export function contactDetail(href: string, text: string): string | null {
  const contact = contactBehind(href);
  if (contact === null) return null;
  const digits = digitsOf(contact).slice(-comparedDigits);
  const isSaid = contact.includes('@') ? text.toLowerCase().includes(contact.toLowerCase()) : digitsOf(text).includes(digits);
  return isSaid ? null : contact;
}

/** The email address or number that a link leads to; null when it leads elsewhere. */
function contactBehind(href: string): string | null {
  const hidden = hiddenAddress.exec(href)?.[1];
  if (hidden !== undefined) return decodedAddress(hidden);
  const [, scheme = '', encoded = ''] = /^\s*(mailto|tel|sms|callto):([^?;]+)/i.exec(href) ?? [];
  const contact = decoded(encoded).trim();
  if (scheme === '') return chatNumber(href);
  return (scheme.toLowerCase() === 'mailto' ? contact.includes('@') : /\d/.test(contact)) ? contact : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The number of a link into the chat app. */
function chatNumber(href: string): string | null {
  const url = URL.parse(href.trim(), 'https://example.com');
  const isChat = url?.hostname === 'wa.me' || url?.hostname === 'api.whatsapp.com' || url?.protocol === 'whatsapp:';
  if (!url || !isChat) return null;
  const digits = digitsOf(url.searchParams.get('phone') ?? (url.hostname === 'wa.me' ? url.pathname : ''));
  return digits.length >= comparedDigits ? `+${digits}` : null;
}

/** Decodes a hidden address: each byte is combined with the first one. */
function decodedAddress(hidden: string): string | null {
  const [key = 0, ...bytes] = Buffer.from(hidden, 'hex');
  const address = Buffer.from(bytes.map((byte) => byte ^ key)).toString();
  return address.includes('@') ? address : null;
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}
