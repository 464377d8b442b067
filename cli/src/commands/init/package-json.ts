/** The `package.json` of a new project: it pins the version of the command and of the service. */

/** Returns the text of the file. It has no name, because npm rejects a package that has the name of its dependency. */
export function packageJson(version: string): string {
  const content = {
    private: true,
    type: 'module',
    scripts: {
      dev: 'joinery dev',
      handlers: 'node handlers/server.mjs',
      test: 'node --test',
      deploy: 'joinery deploy',
    },
    dependencies: { joinery: version },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Whether the text of a `package.json` has a dependency on joinery, of any version. */
export function dependsOnJoinery(text: string): boolean {
  const parsed = parse(text);
  return ['dependencies', 'devDependencies', 'optionalDependencies'].some(
    (kind) => typeof parsed[kind] === 'object' && parsed[kind] !== null && 'joinery' in parsed[kind],
  );
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
