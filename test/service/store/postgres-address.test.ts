import { describe, expect, it } from 'vitest';
import { parsePostgresAddress } from '../../../src/service/store/postgres-address.ts';

// Proves rules serve.38, serve.39, serve.41.

const urls = (address: string) => parsePostgresAddress(address).servers.map(({ url }) => url);

const endpoints = (address: string) => parsePostgresAddress(address).servers.map(({ host, port }) => [host, port]);

describe('a PostgreSQL address', () => {
  it('can name one server', () => {
    expect(urls('postgres://user:pass@db.example:5433/shop?sslmode=require')).toEqual([
      'postgres://user:pass@db.example:5433/shop?sslmode=require',
    ]);
    expect(urls('postgresql://db.example/shop')).toEqual(['postgresql://db.example:5432/shop']);
  });

  it('can name several servers, each with its own port or the default', () => {
    expect(urls('postgres://u:p%40ss@h1:5431,h2,h3:5433/db?application_name=x')).toEqual([
      'postgres://u:p%40ss@h1:5431/db?application_name=x',
      'postgres://u:p%40ss@h2:5432/db?application_name=x',
      'postgres://u:p%40ss@h3:5433/db?application_name=x',
    ]);
  });

  it('can name servers by parameters; a single port applies to all', () => {
    expect(endpoints('postgres://u@/db?host=h1,h2&port=5433')).toEqual([
      ['h1', 5433],
      ['h2', 5433],
    ]);
    expect(urls('postgres:///db?host=h1,/run/pg&port=1,2&user=u')).toEqual([
      'postgres://h1:1/db?user=u',
      'postgres://%2Frun%2Fpg:2/db?user=u',
    ]);
  });

  it('can name IPv6 addresses in brackets, and encoded socket folders', () => {
    expect(endpoints('postgres://u@[::1]:5433,[fe80::2],%2Frun%2Fpg/db')).toEqual([
      ['::1', 5433],
      ['fe80::2', 5432],
      ['/run/pg', 5432],
    ]);
    expect(urls('postgres://[::1]/db')).toEqual(['postgres://[::1]:5432/db']);
  });

  it('accepts target_session_attrs only for servers that accept writes', () => {
    expect(urls('postgres://h1,h2/db?target_session_attrs=read-write')).toHaveLength(2);
    expect(urls('postgres://h1,h2/db?target_session_attrs=primary')[0]).toBe('postgres://h1:5432/db');
    expect(() => parsePostgresAddress('postgres://h1,h2/db?target_session_attrs=standby')).toThrow(
      'needs target_session_attrs=read-write, because the service changes the database',
    );
  });

  it('is displayed without the user and the password', () => {
    expect(parsePostgresAddress('postgres://u:secret@h1:5433,h2/db?password=secret').shown).toBe('h1:5433,h2/db');
  });

  it('determines whether statements are named', () => {
    expect(parsePostgresAddress('postgres://h1,h2/db').namesStatements).toBe(true);
    const { servers, namesStatements } = parsePostgresAddress('postgres://h1,h2/db?prepared_statements=off');
    expect([namesStatements, servers[1]?.url]).toEqual([false, 'postgres://h2:5432/db']);
  });

  it.each([
    ['mysql://h/db', 'must be a postgres:// address'],
    ['postgres:/h/db', 'must be a postgres:// address'],
    ['postgres://u:secret@h1:x,h2/db', 'names a port that is not a number from 1 to 65535; IPv6 addresses need brackets'],
    ['postgres://u:secret@h1:70000/db', 'names a port that is not a number from 1 to 65535; IPv6 addresses need brackets'],
    ['postgres://u:secret@fe80::1:2/db', 'names a port that is not a number from 1 to 65535; IPv6 addresses need brackets'],
    ['postgres://u:secret@h%1/db', 'must be a postgres:// address'],
    ['postgres:///db?host=h1,h2,h3&port=1,2&password=secret', 'names 3 hosts but 2 ports'],
  ])('%s is rejected with an error that does not repeat it', (address, message) => {
    expect(() => parsePostgresAddress(address)).toThrow(new Error(message));
  });
});
