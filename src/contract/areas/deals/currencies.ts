let known: ReadonlySet<string> | undefined;

/** The codes of currencies, as ISO 4217 has them. */
export function currencies(): ReadonlySet<string> {
  return (known ??= new Set(Intl.supportedValuesOf('currency')));
}
