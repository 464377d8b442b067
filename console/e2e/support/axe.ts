/** Accessibility checks with axe on a settled page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules whose result depends on colors. */
export const colorRules = ['color-contrast', 'link-in-text-block'];

export interface AxeOptions {
  /** Identifiers of the rules; without this member, all. */
  readonly rules?: readonly string[];
  /** A CSS selector of elements that are not checked. */
  readonly exclude?: string;
}

/** Returns serious and critical violations, each with its element and help text. */
export async function axeViolations(page: Page, options: AxeOptions = {}): Promise<string[]> {
  await page.evaluate(axe);
  for (;;) {
    try {
      return await violationsNow(page, options);
    } catch (error) {
      // An element was removed while axe wrote its selector: the page still changes.
      if (!String(error).includes("reading 'nthChild'")) throw error;
      await settled(page);
    }
  }
}

function violationsNow(page: Page, options: AxeOptions): Promise<string[]> {
  return page.evaluate(async ({ rules, exclude }) => {
    const { run } = (window as unknown as { axe: Axe }).axe;
    interface Axe {
      run(context: object, options: object): Promise<{ violations: Violation[] }>;
    }
    interface Violation {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
    }
    const { violations } = await run(exclude === undefined ? document : { exclude: [[exclude]] }, {
      resultTypes: ['violations'],
      ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
    });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}\n${node.failureSummary}`));
  }, options);
}

/** Waits for transitions of colors and positions. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let quiet = 0; quiet < 5; quiet += 1) {
      await frame();
      const passing = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
      if (passing.length === 0) continue;
      await Promise.allSettled(passing.map(({ finished }) => finished));
      quiet = -1;
    }
  });
}
