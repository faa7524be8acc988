import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { slug } from './slug.ts';

const shortLink = () =>
  z.object({
    id: recordId('lnk_'),
    slug: z.string(),
    url: z.string().describe('the address that the link redirects to'),
    clicks: z.int(),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const shared = { section: 'Short Links', access: 'account' } as const;

export const listLinks = endpoint({
  ...shared,
  name: 'links.list',
  method: 'GET',
  path: '/short-links',
  summary: 'List the short links with their clicks, newest first',
  query: () => z.object(pageQuery()),
  rows: 'short_links',
  responses: { 200: () => z.object({ short_links: z.array(shortLink()), next_cursor: nextCursor() }) },
});

export const createLink = endpoint({
  ...shared,
  name: 'links.create',
  method: 'POST',
  path: '/short-links',
  permission: 'campaigns.edit',
  summary: 'Create a short link',
  body: () =>
    z.object({
      url: z
        .string()
        .max(limits.textLength)
        .refine((value) => /^https?:\/\/[^\s\0]+$/i.test(value) && URL.canParse(value), {
          error: 'must be an http or https address without white space',
        })
        .meta({ format: 'uri', description: 'the address that the link redirects to' }),
      slug: slug().optional().describe('the last part of the short address; generated if left out'),
    }),
  responses: { 201: () => z.object({ short_link: shortLink() }) },
  errors: [409],
});

export const deleteLink = endpoint({
  ...shared,
  name: 'links.delete',
  method: 'DELETE',
  path: '/short-links/{id}',
  permission: 'campaigns.edit',
  summary: 'Delete a short link; its address stops redirecting',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const followLink = endpoint({
  section: 'Short Links',
  access: 'public',
  name: 'links.follow',
  method: 'GET',
  path: '/l/{slug}',
  alsoAtRoot: true,
  summary: 'Redirect to the address of a short link and count the click',
  responses: { 302: () => z.object({}) },
  errors: [404],
});

export const linkEndpoints = [listLinks, createLink, deleteLink, followLink] as const;
