import { securityHeaders } from './answers.ts';
import type { ApiResponse } from './request.ts';

interface PageOptions {
  readonly status?: number;
  /** The origins of the sites that may show the page in a frame; by default, none may. */
  readonly ancestors?: readonly string[];
  /** The origins of images, beside that of the page. */
  readonly images?: readonly string[];
}

/** The response with a page (rule widgets.17). */
export function pageAnswer(html: string, { status = 200, ancestors = ["'none'"], images = [] }: PageOptions = {}): ApiResponse {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", ...images].join(' ')}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors.join(' ')}`,
  ];
  const headers = { ...securityHeaders, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy.join('; ') };
  return { status, headers, body: [html] };
}

/** The response with JSON, in the envelope. */
export function jsonAnswer(status: number, answer: object): ApiResponse {
  return { status, headers: { ...securityHeaders }, body: [JSON.stringify({ success: true, ...answer })] };
}

/** The response with another text. */
export function textAnswer(contentType: string, text: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status: 200, headers: { ...securityHeaders, 'content-type': contentType, ...headers }, body: [text] };
}
