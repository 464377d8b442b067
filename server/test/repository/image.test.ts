/** deploy/Dockerfile: its form. `.ci/image-steps.mjs` runs its steps and the result. */
import { readFileSync } from 'node:fs';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';

const text = readFileSync(new URL('../../../deploy/Dockerfile', import.meta.url), 'utf8');
const instructions = DockerfileParser.parse(text).getInstructions();
const last = instructions.slice(instructions.findLastIndex((one) => one.getKeyword() === 'FROM'));
const all = (list: readonly Instruction[], keyword: string) =>
  list.filter((one) => one.getKeyword() === keyword).map((one) => one.getArgumentsContent() ?? '');

it('the Dockerfile has no error of the linter', () => {
  expect(validate(text, {}).map(({ message }) => message)).toEqual([]);
  expect(validate('FROM scratch\nCPY a b', {})).toHaveLength(1);
});

it('every base image has a tag, and the last one is without shell and package manager', () => {
  const images = all(instructions, 'FROM').map((image) => image.replace(/ AS .*/, ''));
  expect(images.filter((image) => !/:[\w.-]+$/.test(image) || image.endsWith(':latest'))).toEqual([]);
  expect(images.at(-1)).toMatch(/^gcr\.io\/distroless\/nodejs24-debian\d+:nonroot$/);
  expect(all(last, 'RUN')).toEqual([]);
});

it('the image runs as a numeric user that is not root', () => {
  expect(Number(all(last, 'USER').at(-1))).toBeGreaterThan(0);
});

it('the image starts programs without a shell', () => {
  for (const keyword of ['ENTRYPOINT', 'CMD']) expect(JSON.parse(all(last, keyword)[0] ?? '')).toBeInstanceOf(Array);
  expect(all(last, 'HEALTHCHECK')[0]).toMatch(/CMD\s+\["node", /);
});

it('the image has the labels of the Open Container Initiative', () => {
  const [labels = ''] = all(last, 'LABEL');
  const names = [...labels.matchAll(/org\.opencontainers\.image\.(\w+)=/g)].map(([, name]) => name);
  expect(names.sort()).toEqual(
    ['created', 'description', 'documentation', 'licenses', 'revision', 'source', 'title', 'version'].sort(),
  );
});

it('no step depends on the root folder of a stage, so that each can run in a folder', () => {
  expect(all(instructions, 'RUN').length).toBeGreaterThan(3);
  expect(all(instructions, 'RUN').filter((command) => /(^|\s)\//.test(command))).toEqual([]);
});

it('the stages install the same package.json files', () => {
  const copies = all(instructions, 'COPY').filter((paths) => /package\.json/.test(paths));
  expect(copies.slice(0, copies.length / 2)).toEqual(copies.slice(copies.length / 2));
});
