/** Whether a text is the origin of a site that may show a widget: https, or http on the computer of a developer (rule widgets.4). */
export function isSiteOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, origin } = new URL(text);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1';
  // Other characters could end the list of origins in a header.
  if (!/^(?:[a-z\d.-]+|\[[a-f\d:]+\])$/.test(hostname)) return false;
  return text === origin && (protocol === 'https:' || (protocol === 'http:' && isLocal));
}
