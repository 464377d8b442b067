/** Camel and Pascal case for the naming convention `graphql-default`. */

/** `user_id` -> `userId`, `_is_null` -> `_isNull`. Does not change the case of other letters. */
export function camelCase(name: string): string {
  const [, lead = '', rest = ''] = /^(_*)(.*)$/s.exec(name) ?? [];
  return lead + lowerFirst(joined(rest));
}

/** `user_id` -> `UserId`, `_bool_exp` -> `BoolExp`. */
export function pascalCase(name: string): string {
  return upperFirst(joined(name.replace(/^_+/, '')));
}

/** `BoolExp` -> `bool_exp`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/(?<=.)[A-Z]/gs, (letter) => `_${letter}`).toLowerCase();
}

export function upperFirst(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

export function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function joined(name: string): string {
  return name.replaceAll(/_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
