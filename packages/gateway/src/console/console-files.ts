import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A file of the console's build, as served. */
export interface ConsoleFile {
  readonly type: string
  readonly body: Uint8Array<ArrayBuffer>
  readonly encoding: 'br' | 'gzip' | null
}

/** The build of the web console. */
export interface ConsoleFiles {
  /**
   * Returns the page for `pathname`. Its `<base>` points to the root of the service, also behind a proxy that adds a
   * prefix. `null`: the console isn't built.
   */
  page(pathname: string): string | null
  /** Returns a file with a hash in its name, or `null`. @param accepted The `Accept-Encoding` header. */
  asset(name: string, accepted: string): Promise<ConsoleFile | null>
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
}
const BASE = '<base href="/" />'
const NAME = /^[\w-]+(?:\.[\w-]+)*\.(js|css|svg|png)$/

/** Opens the console's build. Caches files with a hash in their names. @param folder With a trailing slash. */
export function consoleFiles(folder: URL): ConsoleFiles {
  const kept = new Map<string, Promise<ConsoleFile | null>>()
  return {
    page(pathname) {
      // read for each request, because a new build has other files
      return (
        readPage(folder)?.replace(BASE, `<base href="${'../'.repeat(pathname.split('/').length - 2) || './'}" />`) ??
        null
      )
    },
    asset(name, accepted) {
      const type = TYPES[NAME.exec(name)?.[1] ?? '']
      if (type === undefined) return Promise.resolve(null)
      const encoding = chooseEncoding(type, accepted)
      const key = `${encoding} ${name}`
      const found = kept.get(key) ?? readAsset(new URL(`console/assets/${name}`, folder), type, encoding)
      kept.set(key, found)
      // caches only existing files, because names come from clients
      void found.then(
        (file) => file === null && kept.delete(key),
        () => kept.delete(key),
      )
      return found
    },
  }
}

function readPage(folder: URL): string | null {
  try {
    return readFileSync(new URL('index.html', folder), 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

function chooseEncoding(type: string, accepted: string): ConsoleFile['encoding'] {
  if (type.startsWith('image/png')) return null
  return (['br', 'gzip'] as const).find((coding) => isAccepted(coding, accepted)) ?? null
}

/** @see RFC 9110, section 12.5.3: a weight of 0 means not acceptable */
const isAccepted = (coding: string, accepted: string): boolean =>
  accepted.split(',').some((one) => {
    const [name = '', weight = ''] = one.toLowerCase().split(';')
    return name.trim() === coding && !/^\s*q=0(\.0*)?\s*$/.test(weight)
  })

const QUICK_AND_SMALL = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }

async function readAsset(file: URL, type: string, encoding: ConsoleFile['encoding']): Promise<ConsoleFile | null> {
  try {
    const plain = await readFile(file)
    return { type, encoding, body: new Uint8Array(await encoded(plain, encoding)) }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function encoded(plain: Buffer, encoding: ConsoleFile['encoding']): Promise<Buffer> {
  if (encoding === 'br') return promisify(brotliCompress)(plain, QUICK_AND_SMALL)
  return encoding === 'gzip' ? promisify(gzip)(plain) : plain
}
