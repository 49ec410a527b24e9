/** The address of something of the service, e.g. `api/channels`; works under any prefix that a proxy adds. */
export const address = (path: string): string => new URL(path, document.baseURI).href

/** The path under which the pages of the console are, without a slash at its end. */
export const consolePath = (): string => new URL('console', document.baseURI).pathname
