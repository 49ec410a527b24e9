/** Returns the absolute URL of a path of the service, e.g. `api/channels`. Works under any prefix a proxy adds. */
export const serviceUrl = (path: string): string => new URL(path, document.baseURI).href

/** Returns the path of the console's pages, without a trailing slash. */
export const consolePath = (): string => new URL('console', document.baseURI).pathname
