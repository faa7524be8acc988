import { textsIn } from '../texts.ts';
import { type Assets, escapeHtml, htmlDocument } from './document.ts';

/** What an agency sells, and under which brand. */
export interface Storefront {
  readonly brand_name: string;
  readonly logo_url: string | null;
  readonly support_email: string | null;
  readonly headline: string | null;
  readonly packages: readonly { readonly name: string; readonly credits: number; readonly price_usd: number }[];
}

/** The public page of an agency. It has no script. */
export function storefrontPage(
  { brand_name: brand, logo_url: logo, support_email: email, headline, packages }: Storefront,
  assets: Assets,
) {
  const texts = textsIn('en');
  const price = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
  const image = logo === null ? '' : `<img class="logo" src="${escapeHtml(logo)}" alt="">`;
  const items = packages.map(
    ({ name, credits, price_usd: usd }) =>
      `<li><h2>${escapeHtml(name)}</h2><p>${credits.toLocaleString('en')} ${texts.credits}</p><p class="price">${price.format(usd)}</p></li>`,
  );
  const link =
    email === null ? '' : `<p><a class="button" href="mailto:${escapeHtml(encodeURI(email))}">${escapeHtml(texts.contactUs)}</a></p>`;
  return htmlDocument({
    language: 'en',
    title: brand,
    assets,
    body: `<main class="page">${image}<h1>${escapeHtml(brand)}</h1>${headline === null ? '' : `<p>${escapeHtml(headline)}</p>`}
${items.length > 0 ? `<ul class="packages">${items.join('')}</ul>` : ''}${link}</main>`,
  });
}
