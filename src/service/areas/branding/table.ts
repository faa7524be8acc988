import { boolean, instant, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** Credits that a storefront sells. */
export interface Package {
  readonly name: string;
  readonly credits: number;
  readonly price_usd: number;
}

/** The brands of agencies, with their storefronts. Slugs are unique, because the public path does not contain an account. */
export const whiteLabels = table('white_labels', {
  account_id: text().internal(),
  brand_name: text().nullable(),
  logo_url: text().nullable(),
  colour: text().nullable(),
  support_email: text().nullable(),
  enabled: boolean().default(false),
  slug: text().nullable(),
  headline: text().nullable(),
  packages: json<readonly Package[]>().default([]),
  created_at: instant().internal(),
  updated_at: instant().internal(),
});

export type WhiteLabel = Row<typeof whiteLabels>;

declare module '../../store/database.ts' {
  interface Database {
    white_labels: StoredRow<typeof whiteLabels>;
  }
}
