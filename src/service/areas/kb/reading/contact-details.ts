import type { PageDocument } from './dom.ts';

/** The path of addresses that a common proxy hides from robots. */
const hiddenAddress = /\/cdn-cgi\/l\/email-protection#([0-9a-f]+)$/i;

/** Writes contact details behind links into the text, and decodes hidden email addresses. */
export function showContactDetails(document: PageDocument): void {
  for (const element of document.querySelectorAll('[data-cfemail]')) {
    const address = decodedAddress(element.getAttribute('data-cfemail') ?? '');
    if (address !== null) element.textContent = address;
  }
  for (const link of document.querySelectorAll('a[href]')) {
    const text = link.textContent ?? '';
    const detail = contactDetail(link.getAttribute('href') ?? '', text);
    if (detail !== null) link.append(document.createTextNode(text.trim() === '' ? detail : ` (${detail})`));
  }
}

/**
 * The email address or number that a link leads to; null when there is none, or when its text says it already.
 * @param text the text of the link
 */
export function contactDetail(href: string, text: string): string | null {
  const address = addressIn(href);
  if (address !== null) return text.toLowerCase().includes(address.toLowerCase()) ? null : address;
  const number = /^(?:tel|sms|callto):([+\d][\d\s().-]*)/i.exec(href.trim())?.[1] ?? chatNumber(href);
  if (number === undefined) return null;
  // The text may have the number in another form.
  return digitsOf(text).length >= 5 ? null : number.trim();
}

function addressIn(href: string): string | null {
  const hidden = hiddenAddress.exec(href)?.[1];
  if (hidden !== undefined) return decodedAddress(hidden);
  const mail = /^\s*mailto:([^?]+)/i.exec(href)?.[1];
  if (mail === undefined) return null;
  try {
    return decodeURIComponent(mail).trim() || null;
  } catch {
    return mail.trim();
  }
}

/** The number of a link into the chat app. */
function chatNumber(href: string): string | undefined {
  const digits = /^https?:\/\/(?:wa\.me\/|api\.whatsapp\.com\/send\/?\?phone=)\+?(\d{7,15})/i.exec(href.trim())?.[1];
  return digits === undefined ? undefined : `+${digits}`;
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
