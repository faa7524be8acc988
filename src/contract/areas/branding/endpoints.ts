import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { colour, email, name, text } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { balanceMax } from '../credits/limits.ts';
import { slug } from '../links/slug.ts';

/** The most packages of a storefront. */
const packagesMax = 12;

const brandPackage = () =>
  z.object({
    name: name().describe('the name of the package'),
    credits: z.number().positive().max(balanceMax).describe('its credits'),
    price_usd: z
      .number()
      .min(0)
      .max(1_000_000)
      .refine((dollars) => Number(dollars.toFixed(2)) === dollars, { error: 'must have at most 2 decimal places' })
      .describe('its price, in US dollars'),
  });

const newStorefront = () =>
  z
    .object({
      enabled: z.boolean().optional().meta({ description: 'whether the page is public', defaultText: 'false' }),
      slug: slug().nullable().optional().describe('the last part of the address; required when it is enabled'),
      headline: text().nullable().optional().describe('what stands above the packages'),
      packages: z.array(brandPackage()).max(packagesMax).optional().meta({ description: 'what is sold', defaultText: 'nothing' }),
    })
    .refine(({ enabled, slug: given }) => enabled !== true || (given ?? null) !== null, {
      path: ['slug'],
      error: 'is required when the storefront is enabled',
    });

const whiteLabel = () =>
  z.object({
    brand_name: z.string().nullable().describe('the name of the brand'),
    logo_url: z.string().nullable().describe('the address of its logo'),
    colour: z.string().nullable().describe('its colour'),
    support_email: z.string().nullable().describe('where customers write to'),
    storefront: z.object({
      enabled: z.boolean().describe('whether the page is public'),
      slug: z.string().nullable().describe('the last part of the address'),
      headline: z.string().nullable().describe('what stands above the packages'),
      packages: z.array(z.object({ name: z.string(), credits: z.number(), price_usd: z.number() })).describe('what is sold'),
    }),
    storefront_url: z.string().nullable().describe('the address of the storefront; null while it is off'),
  });

const shared = { section: 'White Label', access: 'agency', path: '/white-label' } as const;

export const getBranding = endpoint({
  ...shared,
  name: 'branding.get',
  method: 'GET',
  summary: 'Show the brand of the agency and its storefront',
  responses: { 200: () => z.object({ white_label: whiteLabel() }) },
});

export const updateBranding = endpoint({
  ...shared,
  name: 'branding.update',
  method: 'PUT',
  permission: 'team.edit',
  summary: 'Update the brand of the agency; a storefront replaces the one before as a whole',
  body: () =>
    z.object({
      brand_name: name().nullable().optional().describe('the name of the brand'),
      logo_url: z
        .string()
        .max(limits.pageUrlLength)
        .refine((value) => /^https:\/\/[^\s\0]+$/i.test(value) && URL.canParse(value), { error: 'must be an https address' })
        .refine((value) => /^https:\/\/[\w.:@[\]-]+(?:[/?#]|$)/i.test(value), { error: 'must have a usual host name' })
        .refine((value) => !/^https:\/\/[^/?#]*@/i.test(value), { error: 'must not carry a user name or a password: the page is public' })
        .nullable()
        .optional()
        .meta({ format: 'uri', description: 'the address of its logo, https' }),
      colour: colour().nullable().optional().describe('its colour, such as #2563eb'),
      support_email: email().nullable().optional().describe('where customers write to'),
      storefront: newStorefront().optional().describe('the public page that sells credits, as a whole'),
    }),
  responses: { 200: () => z.object({ white_label: whiteLabel() }) },
  errors: [409],
});

export const brandingEndpoints = [getBranding, updateBranding] as const;
