let known: ReadonlySet<string> | undefined;

/** Codes of ISO 4217 that the runtime may not list: funds, metals, and newer currencies. */
const further = 'BOV CHE CHW CLF COU MXV SLE USN UYI UYW VED XAD XAG XAU XBA XBB XBC XBD XCG XDR XPD XPT XSU XTS XUA XXX ZWG'.split(' ');

/** The codes of currencies, as ISO 4217 has them. */
export function currencies(): ReadonlySet<string> {
  return (known ??= new Set([...Intl.supportedValuesOf('currency'), ...further]));
}
