/** Tests of links with compressed operations. */
import { describe, expect, test } from 'vitest';
import { exploreLink } from './explore-link.ts';
import { packedIn, sharedLink, unpackedOperation } from './shared-link.ts';

const long = {
  query: `query Long { ${Array.from({ length: 400 }, (_one, place) => `field_${place}: customer(limit: ${place}) { name }`).join(' ')} }`,
  variables: '{"text": "Tee & Käse 🧀 # %"}',
  role: 'user',
  session: 'user-id: 7',
};

/** Text that cannot be compressed, from a fixed seed. */
function noise(length: number): string {
  let seed = 42;
  const next = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed;
  };
  return Array.from({ length }, () => String.fromCharCode(0x4e00 + ((next() >> 8) % 20_000))).join('');
}

/** Compresses the fragment as `sharedLink` does, without its limits. */
async function compressed(fragment: string): Promise<string> {
  const stream = new Blob([fragment]).stream().pipeThrough(new CompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

const packedOf = async (operation: Parameters<typeof sharedLink>[0]): Promise<string> => {
  const link = await sharedLink(operation);
  return packedIn(link.slice(link.indexOf('#'))) ?? '';
};

describe('a link', () => {
  test('of a short operation is not compressed', async () => {
    const short = { query: '{ a }' };
    expect(await sharedLink(short)).toBe(exploreLink(short));
  });

  test('of a long operation is shorter than the operation, and opens it unchanged', async () => {
    const text = await packedOf(long);
    expect(text).toMatch(/^[\w-]+$/);
    expect(text.length).toBeLessThan(long.query.length / 3);
    expect(await unpackedOperation(text)).toEqual(long);
  });

  test.each([
    ['of one character', '{ a }'.padEnd(1_200, ' ')],
    ['of characters that URLs escape', '%#&=+?/'.repeat(400)],
    ['of characters beyond the basic plane', '🧀'.repeat(600)],
    ['of noise', noise(2_000)],
  ])('%s opens unchanged', async (_what, query) => {
    const text = await packedOf({ query });
    expect((await unpackedOperation(text)).query).toBe(query);
  });

  test('is rejected where it would be too long', async () => {
    await expect(sharedLink({ query: noise(40_000) })).rejects.toThrow(/links of more than 60,000 are cut off/);
  });
});

describe('a damaged link is reported', () => {
  test('where its end is missing', async () => {
    const text = await packedOf(long);
    for (const length of [0, 1, 10, text.length - 40, text.length - 4]) {
      await expect(unpackedOperation(text.slice(0, length)), `${length} characters`).rejects.toThrow(/damaged/);
    }
  });

  test('where a character was changed', async () => {
    const text = await packedOf(long);
    for (const place of [0, 5, 100, text.length - 3]) {
      const other = text[place] === 'A' ? 'B' : 'A';
      const changed = `${text.slice(0, place)}${other}${text.slice(place + 1)}`;
      await expect(unpackedOperation(changed), `at ${place}`).rejects.toThrow(/damaged/);
    }
  });

  test('where it has other characters', async () => {
    await expect(unpackedOperation('no base64!')).rejects.toThrow(/damaged/);
  });

  test('where it has no operation', async () => {
    const text = await compressed('variables=%7B%7D');
    await expect(unpackedOperation(text)).rejects.toThrow(/damaged/);
  });
});

test('a link that expands to an enormous text is rejected', async () => {
  const text = await compressed(`query=${'a'.repeat(20_000_000)}`);
  await expect(unpackedOperation(text)).rejects.toThrow(/expands to more than 2,000,000 characters/);
});
