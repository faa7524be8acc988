import type { TemplateCategory } from './template.ts';

// The provider fixes the wording of authentication templates (rule templates.17). The text that an account writes is shown only
// in the app.

/** Whether the provider fixes the wording of templates of a category. */
export function isAuthentication(category: TemplateCategory): boolean {
  return category === 'authentication' || category === 'authentication-international';
}

/** The wording that contacts receive. @param variable the name of the variable that holds the code */
export function presetWording(variable: string): string {
  return `{{${variable}}} is your verification code.`;
}

/** The components of an authentication template, in the provider's format. */
export function presetComponents(variable: string) {
  return [
    { type: 'BODY', text: presetWording(variable) },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
  ];
}
