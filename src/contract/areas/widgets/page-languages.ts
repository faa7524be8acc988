import * as z from 'zod';

/** The languages of pages for visitors. */
export const pageLanguages = ['en', 'de', 'fr', 'es', 'it', 'nl'] as const;

export type PageLanguage = (typeof pageLanguages)[number];

/** The language of a page, in a request. */
export const pageLanguage = () => z.enum(pageLanguages).optional().meta({ description: 'the language of the page', defaultText: 'en' });
