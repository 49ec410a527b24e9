/** A program and its arguments, as handed to the operating system. */
export interface CommandLine {
  /** A path, or a name looked up in `PATH`. */
  readonly program: string
  readonly args: readonly string[]
}

/**
 * Reads a program and its arguments from one text. No shell is involved: variables, `~`, globs, pipes and `&&` mean
 * nothing and are passed on as they are. Words are separated by white space. `'…'` takes everything literally, `"…"`
 * too except that `\"` and `\\` stand for `"` and `\`; outside quotes `\` takes the next character literally. Quoted and
 * unquoted pieces that touch are one word; `''` is an empty word.
 * @returns The command line, or what is wrong with it, as the end of a sentence about it.
 */
export function parseCommandLine(text: string): CommandLine | string {
  if (text.includes('\0')) return 'must not hold a NUL character'
  const words: string[] = []
  let word: string | null = null
  let rest = text
  while (rest !== '') {
    const token = TOKEN.exec(rest)
    if (token === null) return rest.startsWith('\\') ? 'ends with a backslash' : 'has a quote that is not closed'
    const { space, plain, single, double, escaped } = token.groups ?? {}
    if (space !== undefined) {
      if (word !== null) words.push(word)
      word = null
    } else {
      word = (word ?? '') + (plain ?? single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '')
    }
    rest = rest.slice(token[0].length)
  }
  if (word !== null) words.push(word)
  const [program, ...args] = words
  if (program === undefined || program === '') return 'must name a program'
  return { program, args }
}

const TOKEN =
  /^(?:(?<space>\s+)|(?<plain>[^\s'"\\]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S]))/
