tidyjs fix app.js
