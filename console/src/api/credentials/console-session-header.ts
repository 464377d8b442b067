/** The service accepts the cookie of a user's session with this header only. */
export const sessionHeader = { name: 'x-joinery-console', value: 'oidc' } as const;
