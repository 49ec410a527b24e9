import type { Liquid } from 'liquidjs'
import type { Templates } from '../templates.ts'
import { registerBlockTags } from './block-tags.ts'
import { directRender } from './direct-render.ts'
import { registerFilters } from './filters.ts'
import { redirectField } from './host-values.ts'
import { type LiquidLibrary, loadLiquid } from './library.ts'
import { Markup, type OutputKind, toHtml, toText } from './markup.ts'
import { beginRender, type Globals, renderSettled } from './render-state.ts'
import { registerSlotTags } from './slot-tags.ts'
import { type TemplateFiles, templateFiles } from './template-files.ts'
import { registerValueTags } from './value-tags.ts'

/** Where a project keeps its templates. */
export interface TemplateOptions {
  /** Folders of the project, the first wins. Default none. */
  readonly folders?: readonly string[]
  /** Extension of the project's pages and HTML mail bodies. Default `html`. */
  readonly extension?: string
  /** Reads files anew for every rendering, for whoever writes them. Default false: each is read once. */
  readonly reload?: boolean
}

const PAGES: OutputKind = { write: toHtml, finished: (html) => new Markup(html) }
const TEXTS: OutputKind = { write: toText, finished: (text) => text }

/**
 * Far more than any page of ours: characters, milliseconds, and parts of values. A template that loops ends with an error
 * instead of the process; until then every other request waits.
 */
const LIMITS = { parseLimit: 2_000_000, renderLimit: 5_000, memoryLimit: 50_000_000 }

/** Templates of the project's folders and of the package. Nothing is loaded before the first rendering. */
export function createTemplates(options: TemplateOptions = {}): Templates {
  const { folders = [], extension = 'html', reload = false } = options
  const pages = templateFiles(folders, extension, 'html', reload)
  const texts = templateFiles(folders, 'txt', 'txt', reload)
  const pageEngine = once(async () => engine(await loadLiquid(), pages, PAGES, reload))
  const textEngine = once(async () => engine(await loadLiquid(), texts, TEXTS, reload))

  const page: Templates['page'] = (name, context, t) =>
    render(pageEngine, pages, name, beginRender({ ...context, redirect_field: redirectField(context) }, t))
  return {
    page,
    async optionalPage(name, context, t) {
      return pages.find(name) === null ? null : page(name, context, t)
    },
    async text(name, context, t) {
      if (texts.find(name) === null) return null
      return (await render(textEngine, texts, name, beginRender(context, t))).trim()
    },
  }
}

async function render(
  engine: () => Promise<Liquid>,
  files: TemplateFiles,
  name: string,
  globals: Globals,
): Promise<string> {
  const liquid = await engine()
  const template = files.parsed(name, liquid)
  return renderSettled(globals, () => String(liquid.renderSync(template, {}, { globals })))
}

function engine(library: LiquidLibrary, files: TemplateFiles, output: OutputKind, reload: boolean): Liquid {
  const liquid = new library.Liquid({
    ...LIMITS,
    root: [...files.folders],
    extname: `.${files.extension}`,
    fs: files.fs,
    relativeReference: false,
    cache: !reload,
    strictFilters: true,
    ownPropertyOnly: true,
    jsTruthy: true,
    groupedExpressions: true,
    outputEscape: output.write,
  })
  const direct = directRender(library, liquid)
  registerBlockTags(library, liquid, direct, files)
  registerSlotTags(library, liquid, direct, files)
  registerValueTags(library, liquid, direct, output)
  registerFilters(liquid, output)
  return liquid
}

const once = <R>(make: () => Promise<R>): (() => Promise<R>) => {
  let made: Promise<R> | null = null
  return () => {
    made ??= make()
    return made
  }
}
