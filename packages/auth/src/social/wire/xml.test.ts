import { describe, expect, it } from 'vitest'
import { findChildren, findElements, readXml, XmlError, escapeXml } from './xml.ts'

describe('a document', () => {
  it('is read with its namespaces, texts in one piece', () => {
    const root = readXml(
      '\uFEFF<?xml version="1.0"?>\n<!-- c --><a:r xmlns:a="urn:a" xmlns="urn:d" x="1 &amp; &#x32;" a:y="no">' +
        '<n>te<!-- not here -->xt &lt;&#65;<![CDATA[<&>]]></n><a:n xmlns:a="urn:b"/><n/></a:r>\n',
    )
    expect([root.name, root.namespace, [...root.attributes]]).toEqual(['r', 'urn:a', [['x', '1 & 2']]])
    expect(root.children.map(({ name, namespace }) => `${namespace} ${name}`)).toEqual([
      'urn:d n',
      'urn:b n',
      'urn:d n',
    ])
    expect(findChildren(root, 'urn:d', 'n')[0]?.text).toBe('text <A<&>')
    expect(findElements(root, 'urn:b', 'n')).toHaveLength(1)
  })

  it('takes back any text that was written into one', () => {
    const text = `<a b='c' d="e">&amp;\r\n\t]]>ä☃💡`
    expect(readXml(`<a x="${escapeXml(text)}">${escapeXml(text)}</a>`).text).toBe(text)
    expect(readXml(`<a x="${escapeXml('"&<>')}"/>`).attributes.get('x')).toBe('"&<>')
  })

  it.each([
    '',
    'text',
    '<a>',
    '<a/><b/>',
    '<a></b>',
    '</a>',
    '<a><b></a></b>',
    '<a x=1/>',
    '<a x="1" x="2"/>',
    '<a x="<"/>',
    '<a>&b;</a>',
    '<a>&amp</a>',
    '<a>&#0;</a>',
    '<a>&#xD800;</a>',
    '<a>&#x110000;</a>',
    '<a>]]></a>',
    '<b:a/>',
    '<a/>text',
    '<a><!-- -- --></a>',
    '<a><![CDATA[</a>',
    '<!DOCTYPE a><a/>',
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    '<a>'.repeat(100) + '</a>'.repeat(100),
    `<a>${Array.from({ length: 2_000 }, (_, at) => `<b xmlns:p${at}="urn:x"/>`).join('')}</a>`,
    `<a${Array.from({ length: 300 }, (_, at) => ` b${at}=""`).join('')}/>`,
    `<a>${'<b/>'.repeat(30_000)}</a>`,
    `<a>${'x'.repeat(1_100_000)}</a>`,
  ])('is refused when it is like %#', (text) => {
    expect(() => readXml(text)).toThrow(XmlError)
  })
})
