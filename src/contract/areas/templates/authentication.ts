import type { TemplateCategory } from './template.ts';

// The provider fixes what authentication templates say (rule templates.17). What an account writes is only what the app shows.

export function isAuthentication(category: TemplateCategory): boolean {
  return category === 'authentication' || category === 'authentication-international';
}

/** The wording that contacts get. @param variable the name of the variable that holds the code */
export function presetWording(variable: string): string {
  return `{{${variable}}} is your verification code.`;
}

/** The button below it. */
export const copyCodeButton = { type: 'OTP', otp_type: 'COPY_CODE' } as const;
