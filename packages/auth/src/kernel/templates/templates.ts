import type { LiquidEngine } from './liquid-engine.ts'
import { Markup, type OutputFormat, redirectField, toHtml, toText } from './markup.ts'
import { createGlobals } from './render-state.ts'
import { createTemplateFiles, type TemplateFiles } from './template-files.ts'
import type { Translate } from './translations.ts'

/**
 * Renders LiquidJS templates, which have the names in the reference. A project's template overrides the package's with
 * the same name. Output is escaped in pages, but not in text templates (`.txt`).
 */
export interface Templates {
  /**
   * Renders a page. Values of the context may be promises, and its functions may return promises.
   * @param name Without extension, e.g. `account/login`.
   * @throws {Error} if the template has an error, which is never caused by a visitor
   */
  page(name: string, context: Readonly<Record<string, unknown>>, t: Translate): Promise<string>
  /** Renders a `.txt` template without escaping and trims it; `null` if the file doesn't exist. */
  text(name: string, context: Readonly<Record<string, unknown>>, t: Translate): Promise<string | null>
  /** Renders like `page`; `null` if the template doesn't exist (HTML mail bodies, optional pages such as `429`). */
  optionalPage(name: string, context: Readonly<Record<string, unknown>>, t: Translate): Promise<string | null>
}

/** The location of a project's templates. */
export interface TemplateOptions {
  /** The project's folders, in search order. Default none. */
  readonly folders?: readonly string[]
  /** Extension of the project's pages and HTML mail bodies. Default `html`. */
  readonly extension?: string
  /** Reads the files for every rendering, for development. Default false: each is read once. */
  readonly reload?: boolean
}

const PAGES: OutputFormat = { write: toHtml, toValue: (html) => new Markup(html) }
const TEXTS: OutputFormat = { write: toText, toValue: (text) => text }

/** Creates the templates from the project's folders and the package. LiquidJS is loaded by the first rendering. */
export function createTemplates(options: TemplateOptions = {}): Templates {
  const { folders = [], extension = 'html', reload = false } = options
  const pages = createTemplateFiles(folders, extension, 'html', reload)
  const texts = createTemplateFiles(folders, 'txt', 'txt', reload)
  const pageEngine = loadOnce(pages, PAGES, reload)
  const textEngine = loadOnce(texts, TEXTS, reload)

  const page: Templates['page'] = async (name, context, t) => {
    const engine = await pageEngine()
    return engine.render(name, createGlobals({ ...context, redirect_field: redirectField(context) }, t))
  }
  return {
    page,
    async optionalPage(name, context, t) {
      return pages.find(name) === null ? null : page(name, context, t)
    },
    async text(name, context, t) {
      if (texts.find(name) === null) return null
      const engine = await textEngine()
      return (await engine.render(name, createGlobals(context, t))).trim()
    },
  }
}

function loadOnce(files: TemplateFiles, output: OutputFormat, reload: boolean): () => Promise<LiquidEngine> {
  let engine: Promise<LiquidEngine> | null = null
  return () => {
    engine ??= import('./liquid-engine.ts').then(({ createLiquidEngine }) => createLiquidEngine(files, output, reload))
    return engine
  }
}
