/** A numbering plan that was changed: people, and channels too, still write the numbers of before. */
interface ChangedPlan {
  /** Matches a number in E.164 in any of its forms. */
  readonly pattern: RegExp;
  /** The forms of a number from the groups of its match: that of today's plan, then older ones. */
  readonly forms: (...groups: string[]) => readonly string[];
}

const changedPlans: readonly ChangedPlan[] = [
  // Mexico: mobile numbers had a 1 for callers from abroad. The others are prefixes of calls within the country.
  { pattern: /^\+52(?:1|01|04[45])?(\d{10})$/, forms: (number) => [`+52${number}`, `+521${number}`] },
  // Brazil: mobile numbers got a ninth digit. Landlines begin with 2 to 5.
  { pattern: /^\+55([1-9]{2})9?([6-9]\d{7})$/, forms: (area, number) => [`+55${area}9${number}`, `+55${area}${number}`] },
  // Argentina: mobile numbers have a 9 for callers from abroad, instead of a 15 after the area code.
  { pattern: /^\+549?(11)15(\d{8})$/, forms: mobileOfArgentina },
  { pattern: /^\+549?([23]\d{2})15(\d{7})$/, forms: mobileOfArgentina },
  { pattern: /^\+549?([23]\d{3})15(\d{6})$/, forms: mobileOfArgentina },
  { pattern: /^\+549(\d{2})(\d{8})$/, forms: mobileOfArgentina },
  // Without a 9, it can be a landline as well. No mobile number has the digits of a landline.
  { pattern: /^\+54([1-3]\d{9})$/, forms: (number) => [`+54${number}`, `+549${number}`] },
  // Benin: all numbers got a 01.
  { pattern: /^\+229(?:01)?([2-9]\d{7})$/, forms: (number) => [`+22901${number}`, `+229${number}`] },
  // Italy: landlines lost their 0 for callers from abroad.
  { pattern: /^\+390([1-9]\d{5,9})$/, forms: (number) => [`+390${number}`, `+39${number}`] },
];

function mobileOfArgentina(area: string, number: string): readonly string[] {
  return [`+549${area}${number}`, `+54${area}${number}`];
}

/**
 * The forms of a phone number: that of today's numbering plan, then older ones. Most numbers have one.
 * @param number in E.164
 */
function formsOf(number: string): readonly string[] {
  for (const { pattern, forms } of changedPlans) {
    const match = pattern.exec(number);
    if (match) return forms(...match.slice(1));
  }
  return [number];
}

/** A phone number in the form of today's numbering plan. @param number in E.164 */
export function todaysForm(number: string): string {
  return formsOf(number)[0] ?? number;
}

/**
 * The numbers under which somebody may be known, in the order in which they are looked for: as it was written, in the form of today's
 * numbering plan, in older forms.
 * @param number in E.164
 */
export function spellingsOf(number: string): readonly string[] {
  const forms = formsOf(number);
  return forms[0] === number ? forms : [...new Set([number, ...forms])];
}
