import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { InputError } from '../../errors.ts'
import { frameContext, galleryField, galleryPages } from '../../testing/gallery.ts'
import { stripOwnScripts } from '../../testing/own-scripts.ts'
import { type TemplateFolder, templateFolder } from '../../testing/template-folder.ts'
import { createTemplates } from './templates.ts'
import { createTranslations } from './translations.ts'

const t = createTranslations({ languages: ['en'] }).translator('en')

let folder: TemplateFolder
beforeAll(async () => {
  folder = await templateFolder()
})
afterAll(() => folder.remove())

let count = 0
/** Renders one line that uses an element; runs of blanks are one. */
async function element(source: string, context: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const name = `one${++count}`
  await folder.write(`${name}.html`, source)
  const html = await createTemplates({ folders: [folder.path] }).page(name, context, t)
  return html.replace(/\s+/g, ' ').trim()
}

const field = (source: string, context?: Readonly<Record<string, unknown>>) =>
  element(`{% element field name="a" ${source} %}{% slot label %}A{% endslot %}{% endelement %}`, context)
const wrong: readonly InputError[] = [{ code: 'short', message: 'At least {n}.', values: { n: 8 } }]

describe('an element', () => {
  const cases: readonly [why: string, html: () => Promise<string>, parts: readonly (string | RegExp)[]][] = [
    [
      'alert is announced politely',
      () => element('{% element alert %}x{% endelement %}'),
      ['role="status"', '<div>x</div>'],
    ],
    [
      'alert of an error is announced at once',
      () => element('{% element alert level="error" %}{% slot message %}x{% endslot %}{% endelement %}'),
      ['auth-alert-error', 'role="alert"', 'aria-hidden="true"'],
    ],
    [
      'badge',
      () => element('{% element badge title="t" tags="success,email" %}x{% endelement %}'),
      ['<span class="auth-badge is-success is-email" title="t">x</span>'],
    ],
    [
      'button sends the form by default',
      () => element('{% element button name="action" value="go" form="f" id="i" tags="primary" %}x{% endelement %}'),
      ['<button class="auth-button is-primary" type="submit" id="i" form="f" name="action" value="go">x</button>'],
    ],
    [
      'button with an address is a link',
      () => element('{% element button href="/a?b&c" tags="link" %}x{% endelement %}'),
      ['<a class="auth-button is-link" href="/a?b&amp;c">x</a>'],
    ],
    [
      'button refuses addresses that run code',
      () => element('{% element button href="javascript:x" / %}'),
      ['href="#"'],
    ],
    ['button_group', () => element('{% element button_group vertical %}x{% endelement %}'), ['auth-vertical">x</div>']],
    [
      'details',
      () => element('{% element details open=true %}{% slot summary %}s{% endslot %}b{% endelement %}'),
      ['<details class="auth-details" open> <summary>s</summary>', '>b</div>'],
    ],
    ['details are closed by default', () => element('{% element details / %}'), ['<details class="auth-details">']],
    [
      'field has its label',
      () => field('type="email" value="v" autocomplete="email" placeholder="p" required'),
      [
        '<label class="auth-label" for="id_a">A</label>',
        'type="email" id="id_a" name="a" value="v" required placeholder="p" autocomplete="email" autocapitalize="none" spellcheck="false">',
      ],
    ],
    [
      'field names its errors and its help',
      () =>
        element(
          '{% element field name="a" id="i" errors=errors %}{% slot label %}A{% endslot %}{% slot help_text %}h{% endslot %}{% endelement %}',
          { errors: wrong },
        ),
      [
        'aria-invalid="true" aria-describedby="i_error i_help"',
        '<div class="auth-error" id="i_error"><p>At least 8.</p></div>',
        '<div class="auth-help" id="i_help">h</div>',
      ],
    ],
    ['field takes errors that are texts', () => field('errors=errors', { errors: ['<b>'] }), ['<p>&lt;b&gt;</p>']],
    ['field never shows a password again', () => field('type="password" value="secret"'), [/^(?!.*secret)/]],
    ['field with a label for screen readers only', () => field('unlabeled'), ['auth-label auth-hidden']],
    [
      'field that is a box to tick',
      () => field('type="checkbox" checked'),
      [/type="checkbox" id="id_a" name="a" value="on" checked.*<label/],
    ],
    [
      'field that is one of several',
      () => field('type="radio" id="r1" value="x"'),
      [/type="radio" id="r1" name="a" value="x" >.*for="r1"/],
    ],
    [
      'field of many lines',
      () => field('type="textarea" value="</textarea>" disabled readonly'),
      ['rows="4" disabled readonly> &lt;/textarea&gt;</textarea>'],
    ],
    [
      'field that is hidden',
      () => field('type="hidden" value="v"'),
      [/^<input type="hidden" id="id_a" name="a" value="v">$/],
    ],
    [
      'form',
      () =>
        element(
          '{% element form action="/a/" id="f" no_visible_fields tags="entrance" %}{% slot body %}b{% endslot %}{% slot actions %}c{% endslot %}{% endelement %}',
        ),
      [
        '<form class="auth-form auth-no-fields is-entrance" method="post" action="/a/" id="f"> b <div class="auth-actions">c</div>',
      ],
    ],
    [
      'form without actions',
      () => element('{% element form method="get" %}b{% endelement %}'),
      [/method="get"> b <\/form>$/],
    ],
    ['h1', () => element('{% element h1 tags="login" %}x{% endelement %}'), ['<h1 class="auth-h1 is-login">x</h1>']],
    ['h2', () => element('{% element h2 %}x{% endelement %}'), ['<h2 class="auth-h2">x</h2>']],
    ['p', () => element('{% element p %}x{% endelement %}'), ['<p class="auth-p">x</p>']],
    ['hr', () => element('{% element hr / %}'), ['<hr class="auth-hr">']],
    [
      'img',
      () => element('{% element img src="data:image/png;base64,AA" alt="a" width=3 tags="qr" / %}'),
      ['<img class="auth-img is-qr" src="data:image/png;base64,AA" alt="a" width="3">'],
    ],
    [
      'img refuses addresses that run code',
      () => element('{% element img src="data:text/html,x" / %}'),
      ['src="#" alt=""'],
    ],
    [
      'panel',
      () =>
        element(
          '{% element panel %}{% slot title %}t{% endslot %}{% slot body %}b{% endslot %}{% slot actions %}c{% endslot %}{% endelement %}',
        ),
      ['<h2 class="auth-panel-title">t</h2> <div class="auth-panel-body">b</div> <div class="auth-actions">c</div>'],
    ],
    [
      'providers',
      () =>
        element(
          '{% element provider_list %}{% element provider name="GitHub" provider_id="github" href="/g/" / %}{% endelement %}',
        ),
      [/^<ul.*<li><a [^>]*data-provider="github" href="\/g\/">GitHub<\/a><\/li>/],
    ],
    [
      'table',
      () =>
        element(
          '{% element table %}{% element thead %}{% element tr %}{% element th %}a{% endelement %}{% endelement %}{% endelement %}{% element tbody %}{% element tr %}{% element td align="right" %}b{% endelement %}{% endelement %}{% endelement %}{% endelement %}',
        ),
      [/<table.*<thead><tr><th scope="col">a<\/th>.*<tbody><tr><td class="auth-end">b<\/td>/],
    ],
  ]
  it.each(cases)('%s', async (_why, html, parts) => {
    const shown = await html()
    for (const part of parts) {
      if (typeof part === 'string') expect(shown).toContain(part)
      else expect(shown).toMatch(part)
    }
  })
})

describe('the fields of a form', () => {
  const fields = (form: unknown, more = '') => element(`{% element fields form=form ${more} / %}`, { form })
  it('show general errors at the top, and link to the invalid fields', async () => {
    const html = await fields({
      errors: [{ code: 'x', message: 'Not now.' }],
      fields: [galleryField('a', { errors: wrong, autofocus: true }), galleryField('b', { errors: wrong })],
    })
    expect(html).toMatch(/role="alert".*<p>Not now.<\/p>.*<a href="#id_a">a<\/a>.*<a href="#id_b">b<\/a>/)
    expect(html.match(/ autofocus/g)).toHaveLength(1)
  })
  it('give the focus to the first wrong one, else to the one that asks for it', async () => {
    const [a, b] = [galleryField('a'), galleryField('b')]
    expect(
      await fields({
        errors: [],
        fields: [
          { ...a, autofocus: true },
          { ...b, errors: wrong },
        ],
      }),
    ).toMatch(/id="id_a"[^>]*spellcheck|id="id_a" name="a" required>.*id="id_b" name="b" required autofocus/)
    expect(await fields({ errors: [], fields: [a, { ...b, autofocus: true }] })).toMatch(/name="b" required autofocus/)
  })
  it('have no summary for a single wrong field, and none without errors', async () => {
    expect(await fields({ errors: [], fields: [galleryField('a', { errors: wrong })] })).not.toContain('role="alert"')
    expect(await fields({ errors: [], fields: [galleryField('a')] })).not.toContain('role="alert"')
  })
  it('work without visible labels, except for checkboxes', async () => {
    const form = { errors: [], fields: [galleryField('a'), galleryField('b', { type: 'checkbox', value: true })] }
    const html = await fields(form, 'unlabeled')
    expect(html).toMatch(/auth-hidden" for="id_a".*placeholder="a".*value="on" checked.*auth-label" for="id_b"/)
  })
  it('mark optional fields', async () => {
    const form = { errors: [], fields: [galleryField('a', { required: false }), galleryField('b')] }
    expect((await fields(form)).match(/\(optional\)/g)).toHaveLength(1)
  })
})

/** Returns the structure of a page: every tag with the names of its attributes. */
const structure = (html: string): readonly string[] =>
  (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'))

describe('hostile text', () => {
  const ATTRIBUTES =
    'level title tags form href id name type value open action method src alt width height provider_id align placeholder autocomplete inputmode rows'
  const ELEMENTS =
    'alert badge button button_group details field form h1 h2 hr img p panel provider provider_list table tbody td th thead tr'
  const attributes = ATTRIBUTES.split(' ')
    .map((name) => `${name}=evil`)
    .join(' ')
  const slots = ['label', 'help_text', 'message', 'summary', 'body', 'title', 'actions']
    .map((name) => `{% slot ${name} %}{{ evil }}{% endslot %}`)
    .join('')

  // Those with several shapes, besides.
  const shapes = ['button href=nothing', 'field type="checkbox"', 'field type="textarea"', 'field type="hidden"']
  it.each([...ELEMENTS.split(' '), ...shapes])('stays text in every place of %s', async (name) => {
    const [element = '', ...shape] = name.split(' ')
    const source = `{% element ${element} ${attributes} errors=errors ${shape.join(' ')} %}{{ evil }}${slots}{% endelement %}`
    const page = `hostile${++count}`
    await folder.write(`${page}.html`, source)
    const templates = createTemplates({ folders: [folder.path] })
    const render = (evil: string) =>
      templates.page(page, { evil, errors: [evil, { message: '{evil}', values: { evil } }] }, t)
    const harmless = structure(await render('x'))
    const nasty = fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '`', '=', ' ', 'x', '/', ';', '\uE000') })
    await fc.assert(
      fc.asyncProperty(nasty, async (text) => {
        expect(structure(await render(`x${text}`))).toEqual(harmless)
      }),
      { numRuns: 40 },
    )
  })

  it('stays text in whole pages', async () => {
    const templates = createTemplates()
    const evil = `"'><script>alert(1)</script>`
    for (const [path, { template, context }] of Object.entries(galleryPages)) {
      const frame = { ...frameContext(path), site: { name: evil, domain: evil }, user: { username: evil, email: evil } }
      const messages = [{ level: evil, text: evil }]
      const html = await templates.page(template, { ...context, ...frame, messages, email: evil, next: evil }, t)
      expect(stripOwnScripts(html)).not.toContain('<script')
      expect(html).toContain('&lt;script&gt;')
    }
  })
})

describe('a page', () => {
  it.each(Object.entries(galleryPages))('%s has its frame, and no third-party script or style', async (path, page) => {
    const html = await createTemplates().page(page.template, { ...frameContext(path), ...page.context }, t)
    expect(html).toMatch(/^<!doctype html>\s*<html lang="en" dir="ltr">/)
    expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
    expect(html).toMatch(/<title>.+ · Gatepost<\/title>/)
    expect(html.match(/<h1/g)).toHaveLength(1)
    expect(html.match(/<main/g)).toHaveLength(1)
    expect(stripOwnScripts(html)).not.toMatch(/<script|<style|\sstyle=|\son\w+=/i)
    const posts = html.match(/<form[^>]*method="post"|name="csrfmiddlewaretoken"/g) ?? []
    expect(posts.filter((tag) => tag.startsWith('name')).length * 2).toBe(posts.length)
  })
  it('marks errors in the title', async () => {
    const context = { ...frameContext('/'), ...galleryPages['/accounts/signup/']?.context }
    const html = await createTemplates().page('account/signup', context, t)
    expect(html).toContain('<title>Error: Create an account · Gatepost</title>')
  })
  it('has the language and the direction of its reader', async () => {
    const context = { ...frameContext('/'), request: { path: '/', language: 'ar' } }
    expect(await createTemplates().page('layouts/base', context, t)).toContain('<html lang="ar" dir="rtl">')
  })
  it('shows a menu of the mounted pages and marks the current one', async () => {
    const context = { ...frameContext('/accounts/password/set/'), user: { username: 'ada' } }
    const html = await createTemplates().page('layouts/manage', context, t)
    const menu = /<nav[^]*<\/nav>/.exec(html)?.[0] ?? ''
    const pages = 'email password/change phone/change 3rdparty 2fa sessions applications'.split(' ')
    const links = Array.from(menu.matchAll(/<a href="\/accounts\/([^"]*)\/"/g), ([, path]) => path)
    expect(links).toEqual(pages)
    expect(menu.match(/<a [^>]*aria-current="page"/g)).toEqual([
      '<a href="/accounts/password/change/" aria-current="page"',
    ])
    expect(html).toMatch(/<form method="post" action="\/accounts\/logout\/">/)
  })
})
