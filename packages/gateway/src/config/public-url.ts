/** Returns the origin of a URL such as `https://host.example/gate`. */
export const toOrigin = (url: string): string => new URL(url).origin

/** Returns the path prefix of the public URL, without a trailing slash; empty if there is none. */
export const toMount = (publicUrl: string | null): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '')

/** Removes `mount` from the start of a path, if the proxy left it there. */
export function belowMount(mount: string, path: string): string {
  return mount !== '' && path.startsWith(`${mount}/`) ? path.slice(mount.length) : path
}

/** Adds `mount` to the path of a URL, unless it's already there. */
export function withMount(mount: string, url: string): string {
  const parsed = new URL(url)
  if (mount === '' || parsed.pathname.startsWith(`${mount}/`)) return url
  parsed.pathname = `${mount}${parsed.pathname}`
  return parsed.href
}

/** Returns the URL for reaching, from this machine, a server that listens on `host`. */
export function reachableUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
