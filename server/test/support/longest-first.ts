/** Starts the longest test files first, so that no worker ends long after the others. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take 20 s and more on an idle machine with two cores, the longest first. */
const longest = [
  'server/test/simulation/simulation.test.ts',
  'server/test/hostile/hostile.test.ts',
  'server/test/consistency/processes.test.ts',
  'server/test/hostile/slow.test.ts',
  'server/test/consistency/memory.test.ts',
  'server/test/consistency/consistency.test.ts',
  'server/test/consistency/clock.test.ts',
  'server/test/events/delivery/outage.test.ts',
  'server/test/fuzz/fuzz.test.ts',
  'server/test/models/metadata/metadata.test.ts',
  'server/test/fuzz/schemas/schemas.test.ts',
  'server/test/postgres/half-open.test.ts',
  'server/test/events/delivery/unstorable-responses.test.ts',
  'server/test/security/flood.test.ts',
  'server/test/events/delivery/nodes.test.ts',
  'server/test/postgres/embedded.test.ts',
  'cli/test/crash/chaos.test.ts',
  'cli/test/pages.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((path) => moduleId.endsWith(path));
      return found === -1 ? longest.length : found;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
