import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

const KEPT = join(import.meta.dirname, '..', '..', 'pictures')
/** Where differing pictures and their diffs are written. */
const CACHE = join(import.meta.dirname, '..', '..', '..', '..', '.cache', 'pictures')
/** Share of pixels that may differ, apart from the edges of letters. */
const TOLERANCE = 0.0002

/**
 * Compares a picture with the stored one; `UPDATE_PICTURES=1` replaces it.
 * @returns a message about the difference, or `null`
 */
export function comparePicture(name: string, taken: Buffer): string | null {
  const file = join(KEPT, `${name}.png`)
  const isRenewed = process.env['UPDATE_PICTURES'] === '1'
  if (isRenewed && (!existsSync(file) || findDifference(readFileSync(file), taken) !== null)) write(file, taken)
  if (isRenewed) return null
  if (!existsSync(file)) {
    write(join(CACHE, `${name}.png`), taken)
    return `${name} has no kept picture: look at .cache/pictures, then run this with UPDATE_PICTURES=1`
  }
  const found = findDifference(readFileSync(file), taken)
  if (found === null) return null
  write(join(CACHE, `${name}.png`), taken)
  if (found.drawing !== null) write(join(CACHE, `${name}-differs.png`), found.drawing)
  return `${name} is not as it was (${found.what}): look at .cache/pictures, then run this with UPDATE_PICTURES=1`
}

interface Difference {
  readonly what: string
  readonly drawing: Buffer | null
}

function findDifference(kept: Buffer, taken: Buffer): Difference | null {
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
