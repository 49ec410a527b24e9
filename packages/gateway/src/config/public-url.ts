/** Origin of an address such as `https://host.example/gate`. */
export const toOrigin = (url: string): string => new URL(url).origin

/** Path in front of everything where a proxy shows the service below one, without a slash at its end; else empty. */
export const toMount = (publicUrl: string | null): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '')

/** A path as the service names it, whether or not the proxy has left `mount` in front of it. */
export function belowMount(mount: string, path: string): string {
  return mount !== '' && path.startsWith(`${mount}/`) ? path.slice(mount.length) : path
}

/** An address with `mount` in front of its path, whether or not it had it. */
export function withMount(mount: string, url: string): string {
  const parsed = new URL(url)
  if (mount === '' || parsed.pathname.startsWith(`${mount}/`)) return url
  parsed.pathname = `${mount}${parsed.pathname}`
  return parsed.href
}

/** `http://host:port` at which this machine can ask a server that listens on `host`, also on all addresses. */
export function reachableUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
