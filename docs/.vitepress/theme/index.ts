/** The default theme, with the contrast that WCAG AA requires, and a print style. */
import theme from 'vitepress/theme';
import './style.css';

export default theme;
