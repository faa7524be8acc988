/** The program's version: the same as package.json's, which a test checks. */
export const version = '0.2.0';
