import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

const KEPT = join(import.meta.dirname, '..', '..', 'pictures')
/** Where a picture goes that is not as it was, with a drawing of what differs. */
const CACHE = join(import.meta.dirname, '..', '..', '..', '..', '.cache', 'pictures')
/** Share of the pixels that may differ besides the edges of letters. */
const TOLERANCE = 0.0002

/**
 * Compares a picture with the kept one of its name; `UPDATE_PICTURES=1` keeps it in its place.
 * @returns what is wrong, as a sentence, or `null`
 */
export function pictureFault(name: string, taken: Buffer): string | null {
  const file = join(KEPT, `${name}.png`)
  const isRenewed = process.env['UPDATE_PICTURES'] === '1'
  if (isRenewed && (!existsSync(file) || differing(readFileSync(file), taken) !== null)) write(file, taken)
  if (isRenewed) return null
  if (!existsSync(file)) {
    write(join(CACHE, `${name}.png`), taken)
    return `${name} has no kept picture: look at .cache/pictures, then run this with UPDATE_PICTURES=1`
  }
  const found = differing(readFileSync(file), taken)
  if (found === null) return null
  write(join(CACHE, `${name}.png`), taken)
  if (found.drawing !== null) write(join(CACHE, `${name}-differs.png`), found.drawing)
  return `${name} is not as it was (${found.what}): look at .cache/pictures, then run this with UPDATE_PICTURES=1`
}

interface Difference {
  readonly what: string
  readonly drawing: Buffer | null
}

function differing(kept: Buffer, taken: Buffer): Difference | null {
  if (kept.equals(taken)) return null
  const [before, after] = [PNG.sync.read(kept), PNG.sync.read(taken)]
  const { width, height } = before
  if (width !== after.width || height !== after.height) {
    return { what: `${after.width} by ${after.height}, not ${width} by ${height}`, drawing: null }
  }
  const drawing = new PNG({ width, height })
  const count = pixelmatch(before.data, after.data, drawing.data, width, height, { threshold: 0.1 })
  return count <= width * height * TOLERANCE ? null : { what: `${count} pixels`, drawing: PNG.sync.write(drawing) }
}

function write(file: string, picture: Buffer): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, picture)
}
