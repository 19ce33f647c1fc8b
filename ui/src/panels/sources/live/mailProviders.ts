/**
 * Where mail providers let people sign in with a code. These addresses are settings of a source: the program asks there, and the page
 * never does.
 */

/** Where a code and tokens are asked for, and what the token must allow. */
export interface SignInAddresses {
  readonly deviceUrl: string;
  readonly tokenUrl: string;
  readonly scope: string;
}

export type Provider = 'microsoft' | 'other';

/** Microsoft's addresses are those for accounts of people and of organizations. */
export const PROVIDERS: Readonly<Record<Provider, SignInAddresses>> = {
  microsoft: {
    deviceUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/devicecode',
    tokenUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    scope: 'https://outlook.office.com/IMAP.AccessAsUser.All offline_access',
  },
  other: { deviceUrl: '', tokenUrl: '', scope: '' },
};

/** The provider whose addresses these are. */
export function providerOf({ deviceUrl, tokenUrl, scope }: SignInAddresses): Provider {
  const known = PROVIDERS.microsoft;
  return deviceUrl === known.deviceUrl && tokenUrl === known.tokenUrl && scope === known.scope ? 'microsoft' : 'other';
}
